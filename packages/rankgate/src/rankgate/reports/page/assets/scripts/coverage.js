// What the suite asks for in the corpus: a row a folder, and the pages that no query asks for.

const FOLDERS_FIRST = 12;

function coverage(page) {
  const held = page.coverage;
  if (!held) return null;
  const several = `${held.noun}s`;
  const shown = el("div");
  const part = (row) => `${(100 * row.asked) / row.documents}%`;
  const list = (row) => {
    const open = row.documents - row.asked;
    if (!open) return el("span", { class: "muted" }, "none");
    const node = el("details", null, el("summary", null, many(open, held.noun)));
    node.addEventListener("toggle", () => {
      if (node.open && node.childElementCount === 1) node.append(el("ul", { class: "unasked" }, row.unasked.map((name) => el("li", null, place(name))), row.more ? el("li", { class: "muted" }, `and ${row.more.toLocaleString("en")} more`) : null));
    });
    return node;
  };
  const line = (row) => el("tr", null, el("th", { scope: "row" }, place(row.folder)),
    el("td", { class: "slice-cell", "aria-hidden": "true" }, el("span", { class: "slice-track" }, row.asked ? el("span", { class: "slice-bar", vars: { "--part": part(row) } }) : null)),
    el("td", { class: "number" }, `${row.asked.toLocaleString("en")} of ${row.documents.toLocaleString("en")}`), el("td", { class: "number" }, row.queries.toLocaleString("en")), el("td", { class: "unasked-cell" }, list(row)));
  const show = (all) => {
    const rows = all ? held.folders : held.folders.slice(0, FOLDERS_FIRST);
    replace(shown, el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": `Folders, most ${several} without a query first` }, el("table", { class: "slices coverage" },
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Folder"), el("th", { scope: "col" }, "0 to 100 %"), ["Asked for", "Queries"].map((name) => el("th", { scope: "col", class: "number" }, name)), el("th", { scope: "col" }, "No query asks for"))), el("tbody", null, rows.map(line)))),
    rows.length < held.folders.length ? button("", { class: "quiet slices-more", on: { click: () => show(true) } }, `Show all ${held.folders.length} folders`) : null);
  };
  show(false);
  return section("coverage", `Which ${several} does no query ask for?`, held.words, el("div", { class: "card" }, shown));
}
