// Reads the data, builds the page, and minds the keys, the theme and the printer.

const PRINTED = 20;

async function readData() {
  const text = document.getElementById("data").textContent.trim();
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// Local storage may be shut; the choice then lasts as long as the page.
const remembered = {
  read() {
    try { return localStorage.getItem("rankgate-theme"); } catch { return null; }
  },
  write(theme) {
    try { localStorage.setItem("rankgate-theme", theme); } catch { /* it is not kept */ }
  },
};

const dark = matchMedia("(prefers-color-scheme: dark)");

function themeNow() {
  return document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
}

function themeButton() {
  const label = () => `Use the ${themeNow() === "dark" ? "light" : "dark"} theme`;
  const node = button("", { class: "quiet icon-only", id: "theme", "aria-label": label(), on: { click: () => {
    const next = themeNow() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remembered.write(next);
    node.setAttribute("aria-label", label());
    redraw();
  } } }, icon("light"));
  dark.addEventListener("change", () => {
    node.setAttribute("aria-label", label());
    redraw();
  });
  return node;
}

function topBar(title, links) {
  // Where `rankgate view` serves the page, its name leads back to the list.
  const served = location.protocol.startsWith("http") && /^\/(page|compare)\//.test(location.pathname);
  replace(document.getElementById("bar"),
    el(served ? "a" : "span", { class: "brand", href: served ? "/" : null, title: served ? "All evaluations" : null }, el("span", { class: "brand-mark", "aria-hidden": "true" }, el("i"), el("i"), el("i")), "rankgate"),
    el("span", { class: "bar-title", dir: "auto" }, title),
    el("nav", { "aria-label": "Sections" }, links.map(([id, name]) => el("a", { href: `#${id}`, on: { click: (event) => {
      event.preventDefault();
      document.getElementById(id).scrollIntoView({ block: "start" });
      document.getElementById(`${id}-title`).setAttribute("tabindex", "-1");
      document.getElementById(`${id}-title`).focus({ preventScroll: true });
    } } }, name))),
    button("", { class: "quiet icon-only", "aria-label": "Print", on: { click: () => print() } }, icon("print")), themeButton());
}

// The page makes room for the panel: what was looked at stays where it was.
function holdStill() {
  const near = document.elementFromPoint(innerWidth / 4, innerHeight / 2);
  const looked = document.activeElement.closest("#main .grid, #main figure, #main .card") || (near && near.closest("#main .grid, #main .card, #main section"));
  if (!looked) return () => {};
  const { top } = looked.getBoundingClientRect();
  return () => scrollBy({ top: looked.getBoundingClientRect().top - top, behavior: "instant" });
}

class Panel {
  constructor(page) {
    this.page = page;
    this.node = document.getElementById("panel");
    this.byCase = new Map(page.queries.map((query) => [query.case, query]));
  }

  open(query, step) {
    if (address.get("q") !== query.case) address.set({ q: query.case }, step);
    this.show(query);
  }

  show(query) {
    this.query = query;
    const bar = el("div", { class: "panel-bar" },
      this.walk("up", "Previous query", -1), this.walk("down", "Next query", 1),
      el("span", { class: "panel-hint", "aria-hidden": "true" }, el("kbd", null, "Esc"), " closes"),
      button("", { class: "quiet icon-only", id: "close", "aria-label": "Close", on: { click: () => this.close() } }, icon("close")));
    const first = this.node.hidden;
    const still = first ? holdStill() : null;
    replace(this.node, bar, el("div", { class: "panel-body" }, detailHead(query, "h2"), detail(this.page, query, {})));
    this.node.hidden = false;
    this.node.scrollTop = 0;
    document.body.classList.add("with-panel");
    this.guard();
    if (still) still();
    this.table.follow(query);
    if (first || this.node.contains(document.activeElement)) this.node.querySelector("h2").focus({ preventScroll: true });
  }

  walk(name, label, step) {
    const next = this.table.beside(this.query, step);
    return button("", { class: "quiet icon-only", "aria-label": label, disabled: !next, on: { click: () => {
      this.open(next);
      this.node.querySelector(`[aria-label="${label}"]`).focus();
    } } }, icon(name));
  }

  // On a narrow screen the panel is all there is.
  guard() {
    const whole = !this.node.hidden && matchMedia("(max-width: 1100px)").matches;
    for (const id of ["main", "bar"]) document.getElementById(id).inert = whole;
  }

  close() {
    if (this.node.hidden) return;
    this.hide();
    address.set({ q: "" }, true);
    this.table.point();
    this.table.grid.focus({ preventScroll: true });
  }

  hide() {
    const still = holdStill();
    this.node.hidden = true;
    document.body.classList.remove("with-panel");
    this.guard();
    still();
  }

  follow() {
    const query = this.byCase.get(address.get("q"));
    if (query) this.show(query);
    else if (!this.node.hidden) this.hide();
  }
}

function buildReport(page) {
  const panel = new Panel(page);
  const pick = (query) => panel.open(query, true);
  const { node: queries, table } = queryTable(page, pick);
  panel.table = table;
  const byCategory = (name) => {
    table.change({ cat: name, c: "", f: "" });
    document.getElementById("queries").scrollIntoView({ block: "start" });
  };
  const parts = [hero(page.report), verdicts(page.report), metrics(page.report),
    el("div", { class: "pair" }, slices(page, byCategory), latency(page)), heat(page), queries, el("div", { id: "printed" }), comparison(page, pick), advice(page.report), knownMisses(page.report, page, pick),
    probes(page.report), notes(page), provenance(page)].flat(Infinity).filter(Boolean);
  document.title = `${page.report.title} · ${VERDICT_WORDS[page.report.mark]} · rankgate`;
  const links = [["gates", "Gates"], ["slices", "Categories"], ["heat", "Slices"], ["latency", "Latency"], ["queries", "Queries"], ["comparison", "Comparison"], ["provenance", "Provenance"]];
  replace(document.getElementById("main"), parts);
  topBar(page.report.title, links.filter(([id]) => document.getElementById(id)));
  table.refresh();
  address.watch(() => { table.refresh(); panel.follow(); });
  panel.follow();
  if (panel.query) queries.scrollIntoView({ block: "start", behavior: "instant" });
  matchMedia("(max-width: 1100px)").addEventListener("change", () => panel.guard());
  keys(panel, table);
  printing(page);
}

function keys(panel, table) {
  addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape" && typing && table.box.value) return;
    if (event.key === "Escape") panel.close();
    else if (event.key === "/" && !typing && table.box && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (document.getElementById("main").inert) panel.close();
      table.box.focus();
      table.box.select();
    }
  });
}

// On paper nothing can be opened: the first queries that failed are printed whole.
function printing(page) {
  const failed = page.queries.filter((query) => query.mark !== "✅").sort((one, other) => ORDER[one.mark] - ORDER[other.mark]);
  const printed = document.getElementById("printed");
  const before = () => {
    if (!printed.childElementCount && failed.length) {
      const first = failed.slice(0, PRINTED);
      replace(printed, section("failed", "Queries that fell short", first.length < failed.length ? `The first ${first.length} of ${failed.length}; the page on screen has all.` : "",
        first.map((query) => el("article", null, detailHead(query, "h3"), detail(page, query, { hits: 10, open: 2 })))));
    }
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
    redraw(660);
  };
  const after = () => {
    printed.replaceChildren();
    redraw();
  };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? before() : after()));
}

function sorry(text) {
  document.documentElement.dataset.ready = "";
  replace(document.getElementById("main"), el("p", { class: "waiting" }, text));
}

async function start() {
  const theme = remembered.read();
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  if (typeof DecompressionStream === "undefined") return sorry("This browser is too old to read the report: it cannot decompress data. Any browser of 2023 or later can.");
  let data;
  try {
    data = await readData();
  } catch {
    return sorry("The data of this report is damaged. Make the report again.");
  }
  if (data.kind === "index") buildIndex(data);
  else buildReport(data);
  document.documentElement.dataset.ready = "";
  performance.mark("rankgate-ready");
}

start();
