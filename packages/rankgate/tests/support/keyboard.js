// What a walk over a page by keys asks of it; tests put it into the page as `walked`.
window.walked ||= (() => {
  const all = () => [...document.querySelectorAll("*")];
  const nameOf = (one) => `${one.tagName.toLowerCase()}.${one.className} ${one.getAttribute("aria-label") || one.textContent.slice(0, 40)}`;
  const kindOf = (one) => `${(one.closest("section[id], header, aside") || document.body).id} ${one.tagName} ${one.className}`;
  const frames = (act) => requestAnimationFrame(() => requestAnimationFrame(act));
  // Charts are drawn when somebody comes near them; here at once, so that elements keep their numbers.
  const drawn = () => { if (typeof drawPending === "function") drawPending(); };
  const happened = new Set();

  return {
    // Begin at the top: Tab goes on from where the focus was last.
    begin: () => new Promise((done) => {
      drawn();
      // Smooth scrolling would show an element after it was looked at.
      document.documentElement.style.scrollBehavior = "auto";
      document.body.tabIndex = -1;
      document.body.focus();
      document.body.removeAttribute("tabindex");
      scrollTo({ top: 0, behavior: "instant" });
      frames(() => done(null));
    }),

    // Every element that can be used and is visible, by its number in the document.
    wanted() {
      const usable = (one) => one.tabIndex >= 0 && !one.disabled && !one.closest("[inert]") && one.checkVisibility({ visibilityProperty: true });
      const every = all();
      return every.filter((one) => one.matches("a[href], button, input, select, textarea, summary, [tabindex]") && usable(one)).map((one) => [every.indexOf(one), nameOf(one)]);
    },

    // What has the focus, and whether that can be seen: an outline of two pixels, inside the window.
    here() {
      const one = document.activeElement;
      if (!one || one === document.body || one === document.documentElement) return null;
      const rect = one.getBoundingClientRect();
      const inside = rect.bottom > 0 && rect.top < innerHeight && rect.right > 0 && rect.left < innerWidth;
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      const panel = one.closest("#panel");
      const down = panel ? panel.scrollTop : scrollY;
      return {
        // Firefox stops at whatever can be scrolled, though nothing asks it to.
        own: one.tabIndex >= 0 && one.matches("a, button, input, select, textarea, summary, [tabindex]"),
        at: all().indexOf(one), name: nameOf(one), kind: kindOf(one),
        shown: inside && outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && one.matches(":focus-visible"),
        box: [rect.left, rect.top + down, rect.right, rect.bottom + down],
      };
    },

    // Give the focus to the first control of a kind, and tell its form.
    focus(kind) {
      drawn();
      const one = all().find((each) => each.tabIndex >= 0 && kindOf(each) === kind);
      if (!one) return null;
      one.focus();
      return one.matches("[role=region], [role=grid]") ? "region" : one.type || one.tagName.toLowerCase();
    },

    // Whatever a control does is one of these.
    watch() {
      const note = (what) => () => happened.add(what);
      new MutationObserver(note("changed")).observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
      for (const name of ["scroll", "toggle", "change", "focusin"]) document.addEventListener(name, note(name), { capture: true });
      addEventListener("hashchange", note("address"));
      window.print = note("printed");
      document.addEventListener("click", (event) => {
        const link = event.target.closest("a[href]");
        if (!link || event.defaultPrevented || link.getAttribute("href").startsWith("#")) return;
        event.preventDefault();
        happened.add("followed");
      });
    },

    happened: () => new Promise((done) => { setTimeout(() => frames(() => done([...happened])), 120); }),
  };
})();
