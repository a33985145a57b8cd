"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const rows = [...document.querySelectorAll("#rows > li")];
  const fields = ["search", "state", "category"].map(byId);
  const [search, state, category] = fields;
  const texts = new Map();

  const text = (row) => {
    if (!texts.has(row)) texts.set(row, `${row.querySelector(".name").textContent} ${row.dataset.more}`.toLowerCase());
    return texts.get(row);
  };

  function filter() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const matches = (!state?.value || row.dataset.words.split(",").includes(state.value))
        && (!category?.value || row.dataset.category === category.value)
        && wanted.every((word) => text(row).includes(word));
      row.hidden = !matches;
      shown += matches;
    }
    byId("shown").textContent = `${shown} of ${rows.length} queries`;
  }

  // Open everything around the target of a link, also if a filter hides it.
  function reveal() {
    const target = location.hash.length > 1 && byId(location.hash.slice(1));
    if (!target) return;
    if (target.closest("#rows > li[hidden]")) {
      for (const field of fields) if (field) field.value = "";
      filter();
    }
    for (let node = target; node; node = node.parentElement) if (node.localName === "details") node.open = true;
    (target.matches("details") ? target.querySelector("summary") : target).focus({ preventScroll: true });
    target.scrollIntoView();
  }

  // The content of the rows of a long list, which is markup of this page like all other, read when a row is opened.
  const data = byId("bodies");
  let bodies;
  rows.forEach((row, at) => row.firstElementChild.addEventListener("toggle", ({ target }) => {
    if (!data || !target.open || target.lastElementChild.hasChildNodes()) return;
    bodies ??= JSON.parse(data.textContent);
    target.lastElementChild.innerHTML = bodies[at];
  }));

  if (search) {
    search.parentElement.hidden = false;
    for (const field of fields) field?.addEventListener("input", filter);
    filter();
  }
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (!link) return;
    if (link.dataset.find !== undefined && search) {
      search.value = link.dataset.find;
      filter();
    }
    if (link.hash === location.hash) reveal();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || !search || event.target.matches("input, select")) return;
    event.preventDefault();
    byId("all").open = true;
    search.focus();
  });
  for (const code of document.querySelectorAll(".commands code")) {
    const button = document.createElement("button");
    button.textContent = "Copy";
    button.addEventListener("click", () => navigator.clipboard.writeText(code.textContent).then(() => { button.textContent = "Copied"; }));
    code.after(button);
  }
  // The browser goes to a link's target when the page is complete, which moves the focus.
  addEventListener("load", () => requestAnimationFrame(reveal));
})();
