// What stands at the end: known misses, probes, notes, and how to reproduce it.

function knownMisses(report, page, pick) {
  if (!report.known.length) return null;
  const byCase = new Map(page.queries.map((query) => [query.case, query]));
  return section("known", "Known misses", "They may fail until the day named.",
    el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Table of known misses" }, el("table", { class: "plain" },
      el("thead", null, el("tr", null, ["Query", "Until", "Why", ""].map((name) => (name ? el("th", { scope: "col" }, name) : el("td"))))),
      el("tbody", null, report.known.map((miss) => el("tr", null,
        el("td", null, byCase.has(miss.case) ? button("", { class: "link", dir: "auto", on: { click: () => pick(byCase.get(miss.case)) } }, miss.query) : miss.query),
        el("td", { class: "nowrap" }, miss.until), el("td", { dir: "auto" }, miss.reason),
        el("td", { class: "nowrap" }, miss.passes ? el("span", { class: "tag tag-good" }, "passes now") : null)))))));
}

function probeList(rows) {
  return el("ul", { class: "probes card card-flush" }, rows.map((row) => el("li", null, badge(row.mark, MARK_WORDS[row.mark], "disc-small"),
    el("div", { class: "probe-words" }, el("p", { class: "probe-name", dir: "auto" }, row.name),
      row.reasons.length ? el("ul", { class: "probe-why" }, row.reasons.map((reason) => el("li", { dir: "auto" }, breakable(reason)))) : null),
    row.cost ? el("span", { class: "probe-cost" }, row.cost) : null,
    row.file ? el("span", { class: "probe-where" }, row.line === null ? row.file : `${row.file}:${row.line}`) : null)));
}

function probes(report) {
  const held = report.probes;
  return [
    held.scenarios.length ? section("scenarios", "Scenarios", held.succeeded, probeList(held.scenarios)) : null,
    held.invariants.length ? section("invariants", "Invariants", held.held, probeList(held.invariants)) : null,
  ];
}

function notes(page) {
  const said = [...page.report.notes, ...page.notes];
  return said.length ? section("notes", "Notes", "", el("ul", { class: "notes card" }, said.map((note) => el("li", { dir: "auto" }, breakable(note))))) : null;
}

function provenance(page) {
  const { report } = page;
  const timings = Object.keys(report.timings).length ? [el("h3", null, "Time"), facts(report.timings)] : null;
  return section("provenance", "Run details", "",
    el("div", { class: "card" },
      page.command ? [el("h3", null, "Reproduce"), copier(page.command, "the command that reproduces this report")] : null,
      el("h3", null, "What was evaluated"),
      Object.keys(report.provenance).length ? facts(report.provenance) : el("p", { class: "none" }, "The report does not say."), timings));
}
