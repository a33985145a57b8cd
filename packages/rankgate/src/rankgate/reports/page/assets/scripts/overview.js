// Verdicts first: how it ended and why, then the figures behind it.

function hero(report) {
  const name = kind(report.mark);
  const { time } = report.header;
  return el("section", { id: "verdict", class: `hero hero-${name}`, "aria-labelledby": "verdict-title" },
    el("div", { class: "hero-mark" }, badge(report.mark, null, "disc-large")),
    el("div", { class: "hero-words" },
      el("p", { class: "hero-suite" }, el("bdi", null, report.title), report.system ? [el("span", { class: "by" }, "asked of"), el("bdi", null, report.system)] : null),
      el("h1", { id: "verdict-title" }, VERDICT_WORDS[report.mark]),
      el("p", { class: "hero-status" }, report.status)),
    time ? el("p", { class: "hero-when" }, el("time", null, when(time))) : null);
}

function gauge(row) {
  if (row.number === null || row.bar === null) return null;
  const share = [row.number, row.bar].every((value) => value >= 0 && value <= 1);
  const low = Math.min(0, row.number, row.bar) * 1.25;
  if (row.number === 0 && row.bar === 0) return null;
  const high = share ? 1 : Math.max(0, row.number, row.bar) * 1.25;
  const part = (value) => `${(100 * (value - low)) / (high - low)}%`;
  return el("div", { class: "gauge", "aria-hidden": "true", vars: { "--from": part(Math.min(0, row.number)), "--to": part(Math.max(0, row.number)), "--bar": part(row.bar) } },
    el("div", { class: "gauge-fill" }), el("div", { class: "gauge-bar" }));
}

function verdictCard(row) {
  const name = kind(row.mark);
  return el("li", { class: `card verdict verdict-${name}` },
    el("div", { class: "verdict-head" }, badge(row.mark, null, "disc-small"), el("span", { class: `word-${name}` }, row.status)),
    el("p", { class: "verdict-gate" }, el("code", null, row.gate)),
    el("p", { class: "verdict-value" }, row.value),
    gauge(row) || el("div"),
    el("p", { class: "verdict-why", dir: "auto" }, row.detail),
    el("p", { class: "verdict-where" }, row.where));
}

function verdicts(report) {
  const order = { bad: 0, warn: 1, good: 2, none: 3 };
  const rows = report.verdicts.slice().sort((one, other) => order[kind(one.mark)] - order[kind(other.mark)]);
  return section("gates", "Gates", "", rows.length
    ? el("ul", { class: "cards" }, rows.map(verdictCard))
    : empty("No gates", "Figures were measured and nothing was judged. Write gates in the suite to have a verdict."));
}

function metrics(report) {
  if (!report.metrics.length) return null;
  return section("metrics", "Metrics", "", el("dl", { class: "metrics" }, report.metrics.map((row) =>
    el("div", { class: "metric" }, el("dt", null, row.metric, row.mark ? badge(row.mark, MARK_WORDS[row.mark], "disc-small") : null),
      el("dd", null, el("span", { class: "metric-value" }, row.value), el("span", { class: "metric-counted" }, row.counted))))));
}

function slices(page, pick) {
  const { slices: breakdown } = page.report;
  if (!breakdown.rows.length) return section("slices", "By category", "", empty("No categories", "Give cases a category in the suite to see where the system is strong and where it is weak."));
  const held = el("div");
  const units = new Map(page.metrics.map((metric) => [metric.name, metric.unit]));
  const show = (at) => replace(held, sliceBars(breakdown, at, units.get(breakdown.metrics[at]) === "", pick));
  show(0);
  return section("slices", "By category", "",
    el("div", { class: "card" }, choice("Metric", breakdown.metrics, 0, show), held, breakdown.note ? el("p", { class: "legend" }, words(breakdown.note)) : null));
}

function sliceBars(breakdown, at, share, pick) {
  const numbers = breakdown.rows.map((row) => row.numbers[at] ?? 0);
  const most = share ? 1 : Math.max(...numbers, 1e-9);
  return el("ul", { class: "slices" }, breakdown.rows.map((row) => {
    const number = row.numbers[at];
    return el("li", { class: row.mark ? "slice thin" : "slice" },
      button("", { class: "slice-row", title: "Show its queries", on: { click: () => pick(row.name) } },
        el("span", { class: "slice-name", dir: "auto" }, row.name),
        el("span", { class: "slice-track", "aria-hidden": "true" }, number === null || number === undefined ? null : el("span", { class: "slice-bar", vars: { "--part": `${(100 * Math.max(0, number)) / most}%` } })),
        el("span", { class: "slice-value" }, row.values[at]),
        el("span", { class: "slice-cases" }, row.mark ? badge(row.mark, "few cases", "disc-small") : null, `n = ${row.cases.toLocaleString("en")}`)));
  }));
}

// Every metric in every slice. The number stands in its colour, so that nothing hangs on seeing it.
function heat(page) {
  const rows = page.heat || [];
  if (!rows.length) return null;
  const compared = rows.some((row) => row.cells.some((cell) => cell.change));
  const bodies = [...new Set(rows.map((row) => row.key))].map((key) => el("tbody", null,
    el("tr", { class: "heat-key" }, el("th", { scope: "rowgroup", dir: "auto" }, key), el("td", { colspan: String(page.metrics.length + 1) })),
    rows.filter((row) => row.key === key).map((row) => el("tr", row.thin ? { class: "thin" } : null,
      el("th", { scope: "row", dir: "auto", ...(row.pooled.length ? { title: row.pooled.join(", ") } : {}) }, row.thin ? badge("⚠️", "few cases", "disc-small") : null, row.name),
      el("td", { class: "number heat-cases" }, row.cases.toLocaleString("en")), row.cells.map(heatCell)))));
  const table = el("table", { class: "heat" }, el("thead", null, el("tr", null, el("th", { scope: "col" }, "Slice"), el("th", { scope: "col" }, "n"), page.metrics.map((metric) => el("th", { scope: "col" }, metric.name)))), bodies);
  return section("heat", "All slices", "",
    el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Every metric in every slice" }, table),
    el("p", { class: "legend" }, `Green is good and red is bad on the range of the metric${compared ? "; the small figure is the change against what it is compared with" : ""}. Slices of fewer than 5 scored cases are pooled as other.`));
}

function heatCell(cell) {
  const known = cell.heat !== null && cell.heat !== undefined;
  const vars = known ? { "--strength": `${Math.round(Math.abs(cell.heat - 0.5) * 76)}%` } : {};
  return el("td", { class: `number heat-cell ${known ? (cell.heat < 0.5 ? "heat-bad" : "heat-good") : ""}`.trim(), vars }, el("span", null, cell.shown),
    cell.change ? el("span", { class: "heat-change" }, cell.way === "better" ? "▲ " : cell.way === "worse" ? "▼ " : "", cell.change) : null);
}

function latency(page) {
  const { latency: times } = page;
  if (!times.counts.length) return section("latency", "Latency", "", empty("No latency", "The run does not say how long the system took."));
  const shown = Object.entries(times.shown);
  const about = `How many queries took how many milliseconds: ${shown.map(([name, text]) => `${name} ${text}`).join(", ")}`;
  return section("latency", "Latency", "",
    el("div", { class: "card" },
      el("dl", { class: "stats" }, shown.map(([name, text]) => el("div", null, el("dt", null, name), el("dd", null, text)))),
      latencyChart(times, about), el("p", { class: "legend" }, "Queries by how long the system took, in ms.")));
}

function advice(report) {
  if (!report.recommendations.length) return null;
  return section("advice", "What to try next", "", el("ul", { class: "advice" }, report.recommendations.map((one) =>
    el("li", { class: "card" }, el("h3", { dir: "auto" }, one.finding), el("p", null, one.advice), one.evidence ? el("p", { dir: "auto" }, one.evidence) : null, one.cost ? el("p", { class: "more" }, one.cost) : null,
      one.examples.length ? el("p", { class: "examples" }, one.examples.map((example) => el("span", { class: "tag", dir: "auto" }, example)), one.more ? el("span", { class: "more" }, one.more) : null) : null))));
}
