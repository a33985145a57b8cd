// Where the system is weak: the categories, the worst first.

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
  const gates = new Map(shown.map((row) => [row.name, sliceGate(page, row.name, name)]));
  const gated = [...gates.values()].some((value) => value !== null);
  const head = ["Category", share ? "0 to 1" : "", name, gated ? "Gate" : null, "n"].filter((title) => title !== null);
  const line = (row) => {
    const [number, bar] = [row.numbers[at], gates.get(row.name)];
    const short = bar !== null && number !== null && number !== undefined && (less ? number > bar : number < bar);
    return el("tr", { class: row.mark ? "slice thin" : "slice" },
      el("th", { scope: "row" }, button("", { class: "slice-row link", dir: "auto", title: "Show its queries", on: { click: () => pick(row.name) } }, row.name), row.mark ? badge(row.mark, "too few queries", "disc-small") : null),
      el("td", { class: "slice-cell", "aria-hidden": "true" }, el("span", { class: "slice-track" },
        number === null || number === undefined ? null : el("span", { class: `slice-bar${short ? " slice-short" : ""}`, vars: { "--part": `${(100 * Math.max(0, number)) / most}%` } }),
        bar !== null && bar / most <= 1 ? el("span", { class: "slice-gate", vars: { "--part": `${(100 * bar) / most}%` } }) : null)),
      el("td", { class: `number slice-value${short ? " word-bad" : ""}` }, row.values[at]),
      gated ? el("td", { class: "number muted" }, bar === null ? "–" : String(bar)) : null,
      el("td", { class: "number muted slice-cases" }, row.cases.toLocaleString("en")));
  };
  return [el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Categories, the weakest first" }, el("table", { class: "slices" }, el("thead", null, el("tr", null, head.map((title, number) => (title ? el("th", { scope: "col", class: number > 1 ? "number" : "" }, title) : el("td"))))), el("tbody", null, shown.map(line)))),
    rows.length > SLICES_FIRST ? button("", { class: "quiet slices-more", "aria-expanded": String(state.all), on: { click: more } }, state.all ? `Show the ${SLICES_FIRST} weakest` : `Show all ${rows.length} categories`) : null];
}

