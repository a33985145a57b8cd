// The run compared with its baseline: what the statistics allow to say, every query, and what changed.

const STILL = 1e-9;
const FOUND = { "✅": "better", "❌": "worse" };

function wayOf(page, query, at) {
  const now = query.values[at];
  const then = query.before ? query.before.values[at] : null;
  if (now === null || now === undefined || then === null || then === undefined || Math.abs(now - then) <= STILL) return "same";
  return now > then !== page.metrics[at].less ? "better" : "worse";
}

function differenceText(query, at) {
  if (!query.before) return "";
  const { differences } = query.before;
  return differences && differences[at] !== undefined ? differences[at] : "";
}

function comparable(page, at) {
  return page.queries.filter((query) => query.before && [query.values[at], query.before.values[at]].every((value) => value !== null && value !== undefined));
}

function interval(row, most) {
  const { low, high, difference } = row.numbers;
  const part = (value) => `${50 + (50 * value) / most}%`;
  const way = row.mark === "✅" ? "good" : row.mark === "❌" ? "bad" : "muted";
  return el("div", { class: `interval interval-${way}`, "aria-hidden": "true", vars: { "--from": part(low ?? difference), "--to": part(high ?? difference), "--at": part(difference) } },
    el("div", { class: "interval-zero" }), low === null ? null : el("div", { class: "interval-span" }), el("div", { class: "interval-dot" }));
}

function statistics(page, comparison) {
  const unit = new Map(page.metrics.map((metric) => [metric.name, metric.unit]));
  const most = new Map();
  for (const row of comparison.rows) {
    const { low, high, difference } = row.numbers;
    const far = Math.max(Math.abs(low ?? 0), Math.abs(high ?? 0), Math.abs(difference), 1e-9) * 1.15;
    most.set(unit.get(row.metric), Math.max(far, most.get(unit.get(row.metric)) || 0));
  }
  const head = ["Metric", "Before", "Now", "Difference", "95 % interval", "p", "Queries", "Finding"];
  const table = el("table", { class: "statistics" },
    el("thead", null, el("tr", null, head.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", null, comparison.rows.map((row) => el("tr", null,
      el("th", { scope: "row" }, row.mark ? badge(row.mark, FOUND[row.mark], "disc-small") : null, row.metric),
      el("td", { class: "number" }, row.before), el("td", { class: "number" }, row.after),
      el("td", { class: `number strong word-${kind(row.mark)}` }, row.difference),
      el("td", { class: "interval-cell" }, interval(row, most.get(unit.get(row.metric))), el("span", null, row.interval)),
      el("td", { class: "number" }, row.p), el("td", null, tallyBar(row)), el("td", { class: "finding" }, row.finding)))));
  return el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Statistics of the comparison" }, table);
}

function tallyBar(row) {
  const parts = [["worse", row.worse], ["same", row.same], ["better", row.better]];
  return el("div", { class: "tally" },
    el("div", { class: "tally-bar", "aria-hidden": "true" }, parts.filter(([, count]) => count).map(([name, count]) => el("span", { class: `tally-${name}`, vars: { "flex-grow": String(count) } }))),
    el("span", { class: "tally-words" }, parts.map(([name, count]) => `${count.toLocaleString("en")} ${name}`).join(" · ")));
}

function comparison(page, pick) {
  const held = page.report.comparison;
  if (!held) return null;
  const charts = el("div", { class: "pair" });
  const show = (at) => {
    const rows = comparable(page, at);
    const { name } = page.metrics[at];
    const changed = () => rows.filter((query) => wayOf(page, query, at) !== "same").sort((one, other) => change(one, at) - change(other, at));
    const table = (title) => chartTable(title, ["Query", "before", "now", "difference"], () => changed().map((query) => [query.query, query.before.shown[at], query.shown[at], differenceText(query, at)]));
    replace(charts,
      el("figure", { class: "card" }, el("figcaption", null, "How did each query score before and now?", el("span", null, "above the line: more than before")), scatter(page, at, rows, pick), table(`${name} before and now of the queries that changed`)),
      el("figure", { class: "card" }, el("figcaption", null, "Which queries changed, and by how much?", el("span", null, "unchanged ones left out")), waterfall(page, at, rows, pick), table(`Changes of ${name}, the worst first`)));
  };
  whenSeen(charts, () => show(0));
  const [before, after] = [when(held.before), when(held.after)];
  return section("comparison", "Is the difference real?", [el("bdi", null, after), " compared with ", el("bdi", null, before), held.baseline ? ` (${held.baseline})` : "", held.compared ? `: ${held.compared}` : ""],
    held.rows.length ? statistics(page, held) : null,
    held.notes.map((note) => el("p", { class: "note", dir: "auto" }, breakable(note))),
    movedMost(page, held, pick), choice("Metric of the charts", page.metrics.map((metric) => metric.name), 0, show),
    charts, unjudged(held, pick, page), held.agreement ? el("p", { class: "legend" }, held.agreement) : null);
}

// The queries that moved most: a list to choose from, and both rankings of the chosen one.
function movedMost(page, held, pick) {
  const byCase = new Map(page.queries.map((query) => [query.case, query]));
  const rows = held.moved.filter((row) => byCase.get(row.case)?.before);
  if (!rows.length) return null;
  const shown = el("div", { class: "moved-shown" });
  const list = el("div", { class: "moved-list", role: "group", "aria-label": "Queries that changed most" });
  const show = async (row) => {
    const query = byCase.get(row.case);
    if (!query.hits) await page.later.query(query);
    [...list.querySelectorAll("button")].forEach((one, at) => one.setAttribute("aria-pressed", String(rows[at] === row)));
    replace(shown,
      el("div", { class: "moved-head" }, el("div", null, el("h3", { dir: "auto" }, row.query), el("p", { class: "block-about" }, row.first)),
        button("Open", { class: "quiet", on: { click: () => pick(query) } }, "Open ", icon("next"))),
      moves(query, [held.before, held.after]));
  };
  for (const row of rows) {
    list.append(button("", { on: { click: () => show(row) } }, badge(row.mark, row.mark === "✅" ? "better" : "worse", "disc-small"),
      el("span", { class: "moved-query", dir: "auto" }, row.query), el("span", { class: `moved-by word-${kind(row.mark)}` }, row.difference)));
  }
  show(rows[0]);
  return el("div", { class: "block" }, el("h3", null, "Which queries changed most?"),
    el("div", { class: "card card-flush moved-most" }, el("div", null, list, held.unmoved ? el("p", { class: "legend" }, held.unmoved) : null), shown));
}

function unjudged(held, pick, page) {
  if (!held.unjudged.length) return null;
  const byCase = new Map(page.queries.map((query) => [query.case, query]));
  const rows = held.unjudged.slice(0, 50);
  return el("details", { class: "card" }, el("summary", null, `Unjudged new hits (${held.unjudged.length.toLocaleString("en")})`),
    el("ul", { class: "unjudged" }, rows.map((one) => el("li", null,
      byCase.has(one.case) ? button("", { class: "link", dir: "auto", on: { click: () => pick(byCase.get(one.case)) } }, one.query) : el("span", { dir: "auto" }, one.query),
      el("span", { class: "rank" }, `rank ${one.rank}${one.side === "before" ? " before" : ""}`), place(one.location)))),
    held.unjudged.length > rows.length ? el("p", { class: "legend" }, `The first ${rows.length} are shown.`) : null);
}
