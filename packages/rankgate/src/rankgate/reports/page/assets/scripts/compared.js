// The page of a comparison: which is better and why, and every query.

const QUERIES_AT_ONCE = 50;
const SLICES_SHOWN = 10;

function buildCompared(data) {
  document.title = `${data.systems.slice(1).map((system) => system.name).join(", ")} compared with ${data.systems[0].name} · ${data.suite}`;
  const main = document.getElementById("main");
  const shown = el("div", { class: "compared" });
  const names = data.systems.map((system) => system.name);
  const chosen = () => Math.min(Math.max(Number(address.get("with")) || 1, 1), names.length - 1);
  const show = () => replace(shown, comparedPair(data, chosen()));
  const pick = (at) => { address.set({ with: at > 0 ? String(at + 1) : "", q: "" }); show(); };
  replace(main,
    el("div", { class: "index-head" }, el("p", { class: "about" }, el("bdi", null, data.suite)),
      el("h1", null, el("bdi", null, names.slice(1).join(", ")), " compared with ", el("bdi", null, names[0]))),
    names.length > 2 ? [comparedBoard(data), choice("Compared system", names.slice(1), chosen() - 1, pick)] : null,
    shown, comparedQueries(data), comparedNotes(data));
  show();
  topBar(data.suite, [["difference", "Difference"], ["losses", "Losses and gains"], ["queries", "Queries"]].filter(([id]) => document.getElementById(id)));
  address.watch(show);
  toFilter(() => document.getElementById("compared-find"));
}

// Every system, the best first; the interval is that of the difference to the one compared with.
function comparedBoard(data) {
  const { board } = data;
  const most = Math.max(...board.rows.flatMap((row) => [row.low, row.high].map((value) => Math.abs(value ?? 0))), 1e-9) * 1.15;
  const base = data.systems[0].name;
  const numbers = new Map(data.reports.map((report) => [report.after, report.rows[0]]));
  const links = new Map(data.systems.map((system) => [system.name, system.address]));
  const head = ["System", ...board.metrics, "Difference", "95 % interval", "Errors", "Finding"];
  const figures = new Set([...board.metrics, "Difference", "Errors"]);
  const table = el("table", { class: "statistics compared-board" },
    el("thead", null, el("tr", null, head.map((name) => el("th", { scope: "col", class: figures.has(name) ? "number" : null }, name)))),
    el("tbody", null, board.rows.map((row) => {
      const first = row.difference ? numbers.get(row.name) : null;
      return el("tr", null,
        el("th", { scope: "row" }, row.mark ? badge(row.mark, row.finding, "disc-small") : null, links.get(row.name) ? el("a", { class: "link", href: links.get(row.name) }, row.name) : el("bdi", null, row.name)),
        row.values.map((value) => el("td", { class: "number" }, value)),
        el("td", { class: `number strong word-${kind(row.mark)}` }, row.difference),
        el("td", { class: "interval-cell" }, first ? [interval(first, most), el("span", null, row.interval)] : null),
        el("td", { class: row.errors ? "number word-bad" : "number" }, row.errors ? String(row.errors) : "0"),
        el("td", { class: "finding" }, row.difference ? row.finding : `all are compared with ${base}`));
    })));
  return section("board", "Which system is best?", "", el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Systems, the best first" }, table));
}

function comparedPair(data, other) {
  const report = data.reports[other - 1];
  const names = [report.before, report.after].map(when);
  const open = el("div", { class: "compared-open", "aria-live": "polite" });
  const pick = (query) => {
    address.set({ q: query.case });
    replace(open, comparedRankings(query, other, names));
    open.scrollIntoView({ block: "nearest" });
  };
  const picked = data.asked.find((query) => query.case === address.get("q"));
  if (picked) replace(open, comparedRankings(picked, other, names));
  return [
    section("difference", "What is the difference?", when(report.compared),
      report.errors ? el("p", { class: "note note-doubt" }, badge("⚠️", "errors", "disc-small"), report.errors.words) : null,
      report.headline ? el("p", { class: "compared-headline" }, when(report.headline), ".") : null,
      comparedFigures(data, report, names),
      report.agreement ? el("p", { class: "legend" }, report.agreement) : null),
    comparedSlices(data.slices[other - 1] || [], data.metrics, names),
    comparedMovers(data, report, names, pick), open,
  ];
}

// "All queries" and "without errors" are two figures; the choice shows one of them at a time, the first by default.
function comparedFigures(data, report, names) {
  const held = el("div");
  const ways = [report.rows, ...(report.errors && report.errors.rows.length ? [report.errors.rows] : [])];
  const show = (at) => replace(held, comparedTable(data, ways[at], names));
  show(0);
  return [choice("Queries counted", ways.length > 1 ? ["All queries", "Without errors"] : ["All queries"], 0, show), held];
}

function comparedTable(data, rows, names) {
  if (!rows.length) return empty("Nothing to compare", "No metric has a value for both.");
  const units = new Map(data.metrics.map((metric) => [metric.name, metric.unit]));
  const most = new Map();
  for (const { metric, numbers } of rows) {
    const far = Math.max(Math.abs(numbers.low ?? 0), Math.abs(numbers.high ?? 0), Math.abs(numbers.difference), 1e-9) * 1.15;
    most.set(units.get(metric), Math.max(far, most.get(units.get(metric)) || 0));
  }
  const head = ["Metric", ...names, "Difference", "95 % interval", "p", "Queries", "Finding"];
  return el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Metrics of both" },
    el("table", { class: "statistics" },
      el("thead", null, el("tr", null, head.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, rows.map((row) => el("tr", null,
        el("th", { scope: "row" }, row.mark ? badge(row.mark, row.finding, "disc-small") : null, row.metric),
        el("td", { class: "number" }, row.before), el("td", { class: "number" }, row.after),
        el("td", { class: `number strong word-${kind(row.mark)}` }, row.difference),
        el("td", { class: "interval-cell" }, row.numbers.low === null ? null : interval(row, most.get(units.get(row.metric))), el("span", null, row.interval)),
        el("td", { class: "number" }, row.p), el("td", null, tallyBar(row)),
        el("td", { class: "finding" }, row.finding))))));
}

function comparedSlices(slices, metrics, names) {
  if (!slices.length) return null;
  const held = el("div");
  const rows = (all) => (all ? slices : slices.slice(0, SLICES_SHOWN));
  const show = (all) => replace(held, el("table", { class: "plain compared-slices" },
    el("thead", null, el("tr", null, ["Category", "n", ...names, "Difference"].map((name, at) => el("th", { scope: "col", class: at ? "number" : null }, name)))),
    el("tbody", null, rows(all).map((row) => el("tr", null, el("th", { scope: "row", dir: "auto" }, row.name), el("td", { class: "number muted" }, String(row.cases)),
      el("td", { class: "number" }, row.before), el("td", { class: "number" }, row.after), el("td", { class: `number strong way-${row.way}` }, row.difference))))),
  !all && slices.length > SLICES_SHOWN ? button("", { class: "quiet", on: { click: () => show(true) } }, `Show all ${slices.length}`) : null);
  show(false);
  return section("slices", "Which categories changed?", `${metrics[0].name}, worst first`, el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Categories, worst first" }, held));
}

function comparedMovers(data, report, names, pick) {
  if (!report.moved.length) return null;
  const byCase = new Map(data.asked.map((query) => [query.case, query]));
  const other = data.reports.indexOf(report) + 1;
  const card = (row) => {
    const query = byCase.get(row.case);
    return el("details", { class: "card mover" },
      el("summary", null, badge(row.mark, row.mark === "✅" ? "better" : "worse", "disc-small"), el("bdi", { class: "moved-query" }, row.query),
        el("span", { class: "mover-first" }, row.first), el("span", { class: `moved-by word-${kind(row.mark)}` }, row.difference)),
      query ? rankingsOf(query, other, names) : null);
  };
  const parts = [["Lost most", "❌"], ["Gained most", "✅"]].map(([title, mark]) => [title, report.moved.filter((row) => row.mark === mark)]).filter(([, rows]) => rows.length);
  const node = section("losses", "Which queries lost and gained most?", "both rankings, the largest change first", parts.map(([title, rows]) => el("div", { class: "block" }, el("h3", null, title), rows.map(card))),
    report.unmoved ? el("p", { class: "legend" }, report.unmoved) : null);
  const first = node.querySelector("details");
  if (first) first.open = true;
  return node;
}

// The rankings of two systems beside each other, with where each hit came from.
function rankingsOf(query, other, names) {
  const [before, after] = [query.answers[0], query.answers[other]];
  if (!before || !after) return el("p", { class: "none" }, "Not compared.");
  const old = before.hits.map((hit) => hit.location);
  const move = (hit, at) => {
    const was = old.indexOf(hit.location);
    return was < 0 ? "new" : was === at ? "=" : was > at ? `↑${was - at}` : `↓${at - was}`;
  };
  return moves({ targets: [], before: { hits: before.hits }, hits: after.hits.map((hit, at) => ({ ...hit, move: move(hit, at) })) }, names);
}

function comparedRankings(query, other, names) {
  return section("query", "One query", "", el("div", { class: "card" },
    el("h3", { dir: "auto" }, query.query),
    query.expected.length ? el("p", { class: "block-about" }, "Expected: ", query.expected.slice(0, 5).map((text, at) => [at ? ", " : null, place(text)]), query.expected.length > 5 ? ` and ${query.expected.length - 5} more` : null) : null,
    query.answers.some((answer) => answer && answer.errored) ? el("p", { class: "note note-doubt" }, badge("⚠️", "error", "disc-small"), "A system did not answer it.") : null,
    rankingsOf(query, other, names)));
}

// Every query in every system: its value stands in its colour, so that nothing hangs on seeing it.
function comparedQueries(data) {
  if (!data.asked.length || !data.metrics.length) return null;
  let metric = 0;
  let count = QUERIES_AT_ONCE;
  const held = el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Every query in every system" });
  const foot = el("div", { class: "compared-foot" });
  const box = el("input", { type: "search", id: "compared-find", placeholder: "Filter queries", "aria-label": "Filter queries", on: { input: () => { count = QUERIES_AT_ONCE; show(); } } });
  const strength = (value, { less, scale, lowest }) => {
    const share = (value - (lowest ?? 0)) / (scale || 1);
    return less ? 1 - share : share;
  };
  const cell = (answer) => {
    if (!answer) return el("td", { class: "number muted" }, "–");
    const value = answer.values[metric];
    const rank = answer.errored ? "error" : answer.first ? `rank ${answer.first}` : "not found";
    const bounded = value !== null && data.metrics[metric].unit === "";
    const share = bounded ? Math.min(Math.max(strength(value, data.metrics[metric]), 0), 1) : 0.5;
    const name = answer.errored ? "heat-none" : share < 0.5 ? "heat-bad" : "heat-good";
    return el("td", { class: `number heat-cell ${name}`, vars: { "--strength": `${Math.round(Math.abs(share - 0.5) * 44)}%` } }, el("span", null, answer.shown[metric]), el("span", { class: "heat-change" }, rank));
  };
  const open = (query) => {
    address.set({ q: query.case }, true);
    address.watchers.forEach((act) => act());
    document.getElementById("query").scrollIntoView({ block: "start" });
    document.getElementById("query-title").setAttribute("tabindex", "-1");
    document.getElementById("query-title").focus({ preventScroll: true });
  };
  const show = () => {
    const wanted = box.value.trim().toLowerCase();
    const found = data.asked.filter((query) => !wanted || `${query.query} ${query.case} ${query.category}`.toLowerCase().includes(wanted));
    const rows = found.slice(0, count);
    replace(held, rows.length ? el("table", { class: "heat compared-heat" },
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Query"), data.systems.map((system) => el("th", { scope: "col" }, system.name)))),
      el("tbody", null, rows.map((query) => el("tr", null, el("th", { scope: "row" }, button("", { class: "link", title: query.query, on: { click: () => open(query) } }, el("bdi", null, query.query))), query.answers.map(cell))))) : empty("No query matches", "Change the filter."));
    replace(foot, el("p", { class: "legend", role: "status" }, `${rows.length.toLocaleString("en")} of ${found.length.toLocaleString("en")} queries, the largest difference first`),
      rows.length < found.length ? button("", { class: "quiet", on: { click: () => { count += 4 * QUERIES_AT_ONCE; show(); } } }, "Show more") : null);
  };
  const node = section("queries", "How does each query do in each system?", "",
    el("div", { class: "compared-tools" }, choice("Metric", data.metrics.map((one) => one.name), 0, (at) => { metric = at; show(); }), box), held, foot);
  show();
  return node;
}

function comparedNotes(data) {
  const notes = [...new Set([...data.notes, ...data.reports.flatMap((report) => report.notes)])];
  return notes.length ? section("notes", "Run details", "", el("ul", { class: "notes card" }, notes.map((note) => el("li", { dir: "auto" }, when(note))))) : null;
}
