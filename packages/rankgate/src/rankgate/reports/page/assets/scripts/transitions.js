// Where the first relevant hit of every query was and is: each cell opens its queries.

function transitions(page) {
  const held = page.report.comparison && page.report.comparison.transitions;
  if (!held || !held.cells.length) return null;
  const bands = [...new Set(held.cells.map((cell) => cell.before))];
  const cells = new Map(held.cells.map((cell) => [`${cell.before} ${cell.after}`, cell]));
  const most = Math.max(1, ...held.cells.map((cell) => (cell.before === cell.after ? 0 : cell.count)));
  const named = (band) => (band === bands[bands.length - 1] ? "not in the top 10" : `rank ${band}`);
  const cell = (was, now) => {
    const { count } = cells.get(`${was} ${now}`);
    const way = bands.indexOf(now) > bands.indexOf(was) ? "worse" : bands.indexOf(now) < bands.indexOf(was) ? "better" : "same";
    const link = count ? el("a", { href: `#t=${encodeURIComponent(`${was}>${now}`)}`, "data-to": "queries", "aria-label": `${many(count, "query", "queries")} from ${named(was)} to ${named(now)}: show them` }, count.toLocaleString("en")) : el("span", { class: "muted" }, "0");
    return el("td", { class: `transition transition-${count ? way : "none"}`, vars: { "--strength": `${way === "same" ? 0 : 12 + Math.round((24 * count) / most)}%` } }, link);
  };
  const total = (way) => held.cells.filter((one) => Math.sign(bands.indexOf(one.after) - bands.indexOf(one.before)) === way).reduce((sum, one) => sum + one.count, 0);
  return el("section", { id: "transitions", "aria-labelledby": "transitions-title" },
    el("div", { class: "section-head" }, el("h2", { id: "transitions-title" }, "Where did the first relevant hit go?")),
    el("div", { class: "card" },
      el("p", { class: "block-about" }, el("b", { class: "way-worse" }, `${many(total(1), "query", "queries")} down`), ", ", el("b", { class: "way-better" }, `${total(-1).toLocaleString("en")} up`), `, ${total(0).toLocaleString("en")} in the same band of ranks. A number opens its queries${page.report.left_out?.queries ? " that are listed" : ""}.`),
      el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Rank of the first relevant hit, before and now" },
        el("table", { class: "transitions" },
          el("thead", null, el("tr", null, el("td"), el("th", { scope: "colgroup", colspan: String(bands.length) }, "now")), el("tr", null, el("th", { scope: "col" }, "before"), bands.map((band) => el("th", { scope: "col" }, band)))),
          el("tbody", null, bands.map((was) => el("tr", null, el("th", { scope: "row" }, was), bands.map((now) => cell(was, now))))))),
      held.errored.length ? el("p", { class: "legend" }, `${many(held.errored.length, "query", "queries")} not answered, in no cell.`) : null));
}

// The cases of a cell, by what stands in the address.
function transitionCases(page, text) {
  const held = page.report.comparison && page.report.comparison.transitions;
  const [was, now] = text.split(">");
  const found = held && held.cells.find((cell) => cell.before === was && cell.after === now);
  return found ? new Set(found.cases) : null;
}
