// Gates: those that did not pass stand whole, those that did in one line that opens.

const GATE_ORDER = { bad: 0, warn: 1, none: 2, good: 3 };

// The metric of the page that a gate is about; of a worst slice, too. Counts of errors or lost queries have none.
function gateMetric(page, gate) {
  const said = gate.replace(/^worst\([^)]*\)\s*/, "");
  return page.metrics.findIndex((metric) => said === metric.name || said.startsWith(`${metric.name} `));
}

// Where the queries are that a gate is about: an address of this page.
function gateAddress(page, row) {
  const at = gateMetric(page, row.gate);
  const named = page.metrics.findIndex((metric) => row.gate.includes(`(${metric.name})`));
  const category = / where category = (.+)$/.exec(row.gate);
  const values = new URLSearchParams();
  if (row.lost.length) values.set("c", "lost");
  else if (/^errors\b/.test(row.gate)) values.set("c", "errors");
  if (category) values.set("cat", category[1]);
  if (at >= 0 || named >= 0) values.set("s", at >= 0 ? `m${at}${page.metrics[at].less ? ":down" : ""}` : "difference");
  return `#${values.toString() || "s=mark"}`;
}

// Only a share has a scale that people know: from 0 to 1, with the gate's value marked on it.
function gauge(page, row) {
  const at = gateMetric(page, row.gate);
  if (at < 0 || page.metrics[at].unit !== "" || row.number === null || row.bar === null) return null;
  if (![row.number, row.bar].every((value) => value >= 0 && value <= 1)) return null;
  const goal = / goal ([\d.]+)/.exec(row.gate);
  const part = (value) => `${100 * value}%`;
  return el("div", { class: "gauge-box", "aria-hidden": "true" },
    el("div", { class: "gauge", vars: { "--from": "0%", "--to": part(row.number), "--bar": part(row.bar) } },
      el("div", { class: "gauge-fill" }), el("div", { class: "gauge-bar" }), goal ? el("div", { class: "gauge-bar gauge-goal", vars: { "--bar": part(Number(goal[1])) } }) : null),
    el("div", { class: "gauge-scale", vars: { "--bar": part(row.bar) } }, el("span", null, "0"), el("span", { class: `gauge-at${row.bar > 0.8 ? " gauge-left" : row.bar < 0.2 ? " gauge-right" : ""}` }, `gate ${row.bar}`), el("span", null, row.bar > 0.8 ? "" : "1")));
}

function verdictCard(page, row) {
  const name = kind(row.mark);
  return el("li", { class: `card verdict verdict-${name}` },
    el("div", { class: "verdict-head" }, badge(row.mark, null, "disc-small"), el("span", { class: `word-${name}` }, row.status)),
    el("p", { class: "verdict-gate" }, el("a", { class: "verdict-link", href: gateAddress(page, row), "data-to": "queries", title: "Show its queries" }, el("code", null, breakable(row.gate)))),
    el("p", { class: "verdict-value" }, row.value),
    gauge(page, row) || el("div"),
    el("p", { class: "verdict-why", dir: "auto" }, breakable(row.detail)),
    el("p", { class: "verdict-where" }, breakable(row.where)));
}

function passedGates(page, rows) {
  if (!rows.length) return null;
  const line = (row) => el("tr", null, el("th", { scope: "row" }, el("a", { class: "link", href: gateAddress(page, row), "data-to": "queries" }, el("code", null, breakable(row.gate)))),
    el("td", { class: "number strong" }, row.value), el("td", { dir: "auto" }, breakable(row.detail)), el("td", { class: "muted" }, breakable(row.where)));
  return el("details", { class: "card gates-passed" },
    el("summary", null, badge("✅", null, "disc-small disc-inline"), ` ${many(rows.length, "gate")} passed`),
    el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Gates that passed" }, el("table", { class: "plain" },
      el("thead", null, el("tr", null, ["Gate", "Value", "Counts", "Written at"].map((title) => el("th", { scope: "col" }, title)))), el("tbody", null, rows.map(line)))));
}

function verdicts(page) {
  const rows = page.report.verdicts.slice().sort((one, other) => GATE_ORDER[kind(one.mark)] - GATE_ORDER[kind(other.mark)]);
  if (!rows.length) return section("gates", "Gates", "", empty("No gates defined", "Add a gate to the suite to get pass or fail."));
  const open = rows.filter((row) => row.mark !== "✅");
  return section("gates", "Gates", "", open.length ? el("ul", { class: "cards" }, open.map((row) => verdictCard(page, row))) : null, passedGates(page, rows.filter((row) => row.mark === "✅")));
}
