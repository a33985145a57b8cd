// Where the system is weak: the categories, the worst first, and every metric in every slice.

const SLICES_FIRST = 10;

// The gate's value for a category: of a gate on it, on the worst of all, or on the whole suite.
function sliceGate(page, name, metric) {
  const about = (row) => row.bar !== null && row.gate.includes(metric);
  const rows = page.report.verdicts.filter(about);
  const found = rows.find((row) => row.gate.endsWith(` where category = ${name}`)) || rows.find((row) => row.gate.startsWith(`worst(category) ${metric} `)) || rows.find((row) => row.gate.startsWith(`${metric} `) && !row.gate.includes(" where "));
  return found ? found.bar : null;
}

function slices(page, pick) {
  const { slices: breakdown } = page.report;
  if (!breakdown.rows.length) return section("slices", "Categories", "", empty("No categories", "Give cases a category in the suite to see where the system is strong and where it is weak."));
  const held = el("div");
  const state = { at: 0, all: false };
  const show = () => replace(held, sliceTable(page, state, pick, () => { state.all = !state.all; show(); held.querySelector(".slices-more").focus(); }));
  show();
  return section("slices", "Which categories are weakest?", "",
    el("div", { class: "card" }, choice("Metric", breakdown.metrics, 0, (at) => { state.at = at; show(); }), held, breakdown.note ? el("p", { class: "legend" }, words(breakdown.note)) : null));
}

function sliceTable(page, state, pick, more) {
  const { slices: breakdown } = page.report;
  const { at } = state;
  const name = breakdown.metrics[at];
  const metric = page.metrics.find((one) => one.name === name);
  const less = metric ? metric.less : false;
  const worth = (row) => (row.numbers[at] === null || row.numbers[at] === undefined ? Infinity : (less ? -1 : 1) * row.numbers[at]);
  const rows = breakdown.rows.slice().sort((one, other) => Boolean(one.mark) - Boolean(other.mark) || worth(one) - worth(other));
  const shown = state.all ? rows : rows.slice(0, SLICES_FIRST);
  const share = !metric || metric.unit === "";
  const most = share ? 1 : Math.max(...rows.map((row) => row.numbers[at] ?? 0), 1e-9);
  const changes = new Map((page.heat || []).filter((row) => row.key === "category").map((row) => [row.name, row.cells[at]]));
  const gates = new Map(shown.map((row) => [row.name, sliceGate(page, row.name, name)]));
  const gated = [...gates.values()].some((value) => value !== null);
  const compared = [...changes.values()].some((cell) => cell && cell.change);
  const head = ["Category", share ? "0 to 1" : "", name, gated ? "Gate" : null, compared ? "Change" : null, "n"].filter((title) => title !== null);
  const line = (row) => {
    const [number, bar, cell] = [row.numbers[at], gates.get(row.name), changes.get(row.name)];
    const short = bar !== null && number !== null && number !== undefined && (less ? number > bar : number < bar);
    return el("tr", { class: row.mark ? "slice thin" : "slice" },
      el("th", { scope: "row" }, button("", { class: "slice-row link", dir: "auto", title: "Show its queries", on: { click: () => pick(row.name) } }, row.name), row.mark ? badge(row.mark, "too few queries", "disc-small") : null),
      el("td", { class: "slice-cell", "aria-hidden": "true" }, el("span", { class: "slice-track" },
        number === null || number === undefined ? null : el("span", { class: `slice-bar${short ? " slice-short" : ""}`, vars: { "--part": `${(100 * Math.max(0, number)) / most}%` } }),
        bar !== null && bar / most <= 1 ? el("span", { class: "slice-gate", vars: { "--part": `${(100 * bar) / most}%` } }) : null)),
      el("td", { class: `number slice-value${short ? " word-bad" : ""}` }, row.values[at]),
      gated ? el("td", { class: "number muted" }, bar === null ? "–" : String(bar)) : null,
      compared ? el("td", { class: `number way-${cell && cell.way ? cell.way : "same"}` }, (cell && cell.change) || "–") : null,
      el("td", { class: "number muted slice-cases" }, row.cases.toLocaleString("en")));
  };
  return [el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Categories, the weakest first" }, el("table", { class: "slices" }, el("thead", null, el("tr", null, head.map((title, number) => (title ? el("th", { scope: "col", class: number > 1 ? "number" : "" }, title) : el("td"))))), el("tbody", null, shown.map(line)))),
    rows.length > SLICES_FIRST ? button("", { class: "quiet slices-more", "aria-expanded": String(state.all), on: { click: more } }, state.all ? `Show the ${SLICES_FIRST} weakest` : `Show all ${rows.length} categories`) : null];
}

// Every metric in every slice. The number stands in its colour, so that nothing hangs on seeing it.
function heat(page) {
  const rows = page.heat || [];
  if (!rows.length) return null;
  const compared = rows.some((row) => row.cells.some((cell) => cell.change));
  const bodies = [...new Set(rows.map((row) => row.key))].map((key) => el("tbody", null,
    el("tr", { class: "heat-key" }, el("th", { scope: "rowgroup", dir: "auto" }, key), el("td", { colspan: String(page.metrics.length + 1) })),
    rows.filter((row) => row.key === key).map((row) => el("tr", row.thin ? { class: "thin" } : null,
      el("th", { scope: "row", dir: "auto", ...(row.pooled.length ? { title: row.pooled.join(", ") } : {}) }, row.name, row.thin ? el("span", { class: "tag tag-light" }, "too few queries") : null),
      el("td", { class: "number heat-cases" }, row.cases.toLocaleString("en")), row.cells.map(heatCell)))));
  const table = el("table", { class: "heat" }, el("thead", null, el("tr", null, el("th", { scope: "col" }, "Slice"), el("th", { scope: "col" }, "n"), page.metrics.map((metric) => el("th", { scope: "col" }, metric.name)))), bodies);
  return section("heat", "Which slices are weak, in which metric?", "",
    el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Every metric in every slice" }, table),
    el("p", { class: "legend" }, `Green is good and red is bad on the range of the metric${compared ? "; the small figure is the change against the baseline" : ""}. Slices of fewer than 5 queries are put together as other.`));
}

function heatCell(cell) {
  const known = cell.heat !== null && cell.heat !== undefined;
  const vars = known ? { "--strength": `${Math.round(Math.abs(cell.heat - 0.5) * 76)}%` } : {};
  return el("td", { class: `number heat-cell ${known ? (cell.heat < 0.5 ? "heat-bad" : "heat-good") : ""}`.trim(), vars }, el("span", null, cell.shown),
    cell.change ? el("span", { class: "heat-change" }, cell.way === "better" ? "▲ " : cell.way === "worse" ? "▼ " : "", cell.change) : null);
}
