// The page of a sweep: which variant is best, what that costs, and every query in every variant.

const VARIANTS_FIRST = 20;
const ALONE_FIRST = 10;
const ALONE_QUERIES = 6;

function buildSweep(data) {
  const titles = data.sweeps.map((page) => page.report.title);
  const shown = el("div", { class: "compared" });
  const chosen = () => Math.min(Math.max((Number(address.get("suite")) || 1) - 1, 0), titles.length - 1);
  document.title = `${titles.join(", ")} · rankgate`;
  const show = () => {
    const page = data.sweeps[chosen()];
    if (!page) return void replace(shown, empty("Nothing to compare", "No variant was asked."));
    page.marks = data.marks;
    replace(shown, sweepParts(page));
    sweepOpen(page);
    const links = [["board", "Variants"], ["intervals", "Intervals"], ["cost-latency", "Latency"], ["cost-tokens", "Tokens"], ["axes", "Axes"], ["heat", "Heat map"], ["missed", "Unanswered"], ["queries", "Queries"]];
    topBar(page.report.title, links.filter(([id]) => document.getElementById(id)));
  };
  replace(document.getElementById("main"), choice("Suite", titles, chosen(), (at) => { address.set({ suite: at ? String(at + 1) : "", q: "", a: "", b: "" }); show(); }), shown);
  show();
  address.watch(() => sweepOpen(data.sweeps[chosen()]));
  toFilter(() => document.getElementById("sweep-find"));
}

function sweepParts(page) {
  const { report } = page;
  const pick = (query, column) => openSwept(page, query, column);
  const costs = page.costs.map((chart) => costSection(page, chart));
  return [sweepHero(report), variantBoard(page), intervalSection(page),
    costs.length > 1 ? el("div", { class: "pair" }, costs) : costs, axisEffects(report), heldOut(report),
    heatSection(page, pick), aloneSection(page, pick), missedSection(page, pick), sweptQueries(page, pick),
    el("div", { id: "opened", class: "compared-open", "aria-live": "polite" }), sweepNotes(report)];
}

function sweepHero(report) {
  const better = report.rows.some((row) => row.mark === "✅" && !row.same_as);
  return el("section", { id: "verdict", class: `hero tone-${better ? "good" : "muted"}`, "aria-labelledby": "verdict-title" },
    el("div", { class: "hero-mark" }, el("span", { class: "disc disc-large disc-tone" }, icon(better ? "good" : "dash"))),
    el("div", { class: "hero-words" },
      el("p", { class: "hero-suite" }, el("bdi", null, report.title)),
      el("h1", { id: "verdict-title", dir: "auto" }, report.headline),
      el("p", { class: "hero-status", dir: "auto" }, `${many(report.rows.length, "variant")}; ${report.family}.`),
      report.held_out ? el("p", { class: "hero-changed", dir: "auto" }, heldOutWords(report.held_out)) : null));
}

function heldOutWords(held) {
  return `Held out: ${held.winner} is ${held.seen}, and ${held.measured}; ${held.shrinkage}.`;
}

function heldOut(report) {
  const held = report.held_out;
  if (!held) return null;
  return section("held-out", "Does the winner hold on queries that were held out?", "", el("div", { class: "card" },
    el("p", { dir: "auto" }, heldOutWords(held)), el("p", { class: "legend" }, held.detectable),
    held.uses > 1 ? el("p", { class: "note note-doubt" }, badge("⚠️", "exploratory", "disc-small"), `This is look ${held.uses} at the held-out queries: exploratory.`) : null));
}

// What a figure is worth where it is sorted by; texts where there is none.
function figureOf(text) {
  const found = Number.parseFloat(String(text).replaceAll(",", "").replace("−", "-").replace(/^[≈<+ ]+/, ""));
  return Number.isNaN(found) ? null : found;
}

function variantColumns(page) {
  const { report } = page;
  const numbers = (name, text, of) => ({ name, number: true, text, of });
  // What unjudged hits allow has columns of its own, where there are any.
  const judged = report.measures.some((name) => name.startsWith("judged"));
  const far = Math.max(...report.rows.flatMap(({ numbers: one }) => [one.low, one.high, one.difference].map((value) => Math.abs(value ?? 0))), 1e-9) * 1.1;
  return [
    numbers("#", (row) => String(report.rows.indexOf(row) + 1), (row) => report.rows.indexOf(row)),
    { name: "Variant", heading: true, of: (row) => row.name },
    ...report.metrics.map((name, at) => numbers(name, (row) => row.means[at], (row) => row.numbers.means[at])),
    numbers("Difference", (row) => el("span", { class: `strong word-${kind(row.mark)}` }, row.difference || (row.baseline ? "" : "–")), (row) => row.numbers.difference),
    { name: "95 % interval", cell: (row) => el("td", { class: "interval-cell" }, row.numbers.low === null ? null : interval(row, far), el("span", null, row.interval)), of: (row) => row.numbers.low },
    numbers("p (Holm)", (row) => row.p, (row) => row.numbers.holm),
    { name: "Queries", cell: (row) => el("td", null, row.baseline ? null : tallyBar({ worse: row.losses, same: row.ties, better: row.wins })), of: (row) => row.wins - row.losses },
    { name: "Finding", cell: (row) => el("td", { class: "finding" }, variantFinding(row, judged)), of: (row) => row.same_as || row.finding },
    numbers("Only it finds", (row) => String(page.alone[page.column[report.rows.indexOf(row)]]), (row) => page.alone[page.column[report.rows.indexOf(row)]]),
    ...report.measures.map((name, at) => numbers(name, (row) => row.measures[at], (row) => figureOf(row.measures[at]))),
  ];
}

function variantFinding(row, judged) {
  const said = row.baseline ? "" : row.same_as || row.finding;
  return [el("span", { dir: "auto" }, said), row.errors ? el("span", { class: "word-bad" }, ` ${many(row.errors, "error")}`) : null,
    row.unjudged && !judged ? el("details", { class: "unjudged" }, el("summary", null, "unjudged hits"), row.unjudged) : null];
}

// Every variant; a title sorts by its column, a second time the other way.
function variantBoard(page) {
  const { report } = page;
  const columns = variantColumns(page);
  const state = { by: 0, way: 1, all: report.rows.length <= VARIANTS_FIRST + 5 };
  const body = el("tbody");
  const foot = el("div", { class: "compared-foot" });
  const box = el("input", { type: "search", id: "variant-find", placeholder: "Filter variants", "aria-label": "Filter variants", on: { input: () => show() } });
  const sort = (at) => { Object.assign(state, at === state.by ? { way: -state.way } : { by: at, way: columns[at].number && at ? -1 : 1 }); show(); };
  const heads = columns.map((column, at) => el("th", { scope: "col", class: column.number ? "number" : null },
    button("", { class: "sort", on: { click: () => sort(at) } }, column.name, el("span", { class: "sort-mark", "aria-hidden": "true" }))));
  const order = (one, other) => {
    const [a, b] = [one, other].map(columns[state.by].of);
    if ((a ?? "") === "" || (b ?? "") === "") return ((a ?? "") === "") - ((b ?? "") === "");
    return state.way * (typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
  };
  const line = (row) => el("tr", { class: row.baseline ? "in-use" : null }, columns.map((column) => {
    if (column.cell) return column.cell(row);
    if (!column.heading) return el("td", { class: "number" }, column.text(row));
    return el("th", { scope: "row" }, row.mark ? badge(row.mark, row.finding, "disc-small") : null, el("bdi", null, row.name), row.baseline ? [" ", el("span", { class: "tag" }, "in use")] : null);
  }));
  const show = () => {
    const wanted = box.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = report.rows.filter((row) => wanted.every((word) => `${row.name} ${row.values.join(" ")} ${row.same_as} ${row.finding}`.toLowerCase().includes(word))).sort(order);
    const rows = state.all ? found : found.slice(0, VARIANTS_FIRST);
    heads.forEach((head, at) => head.setAttribute("aria-sort", at === state.by ? (state.way === 1 ? "ascending" : "descending") : "none"));
    replace(body, rows.length ? rows.map(line) : el("tr", null, el("td", { colspan: String(columns.length), class: "muted" }, "No variant matches.")));
    replace(foot, el("p", { class: "legend", role: "status" }, `${rows.length} of ${many(report.rows.length, "variant")}`),
      rows.length < found.length ? button("", { class: "quiet", on: { click: () => { state.all = true; show(); } } }, `Show all ${found.length}`) : null);
  };
  show();
  return section("board", "Which variant is best?", report.metrics.length > 1 ? `${report.metrics[0]} decides` : "",
    el("div", { class: "compared-tools" }, box),
    el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Variants, the best first" },
      el("table", { class: "statistics compared-board variants" }, el("thead", null, el("tr", null, heads)), body)), foot);
}

function axisEffects(report) {
  if (!report.effects.length) return null;
  const far = Math.max(...report.effects.flatMap((one) => one.numbers.map((value) => Math.abs(value ?? 0))), 1e-9) * 1.1;
  const head = ["Axis", "Value", "Compared with", "Difference", "95 % interval", "Pairs", "Missing"];
  const line = (one) => {
    const [difference, low, high] = one.numbers;
    const mark = low === null || (low <= 0 && high >= 0) ? "" : difference > 0 ? "✅" : "❌";
    return el("tr", null, el("th", { scope: "row" }, el("bdi", null, one.axis)), el("td", { dir: "auto" }, one.value), el("td", { class: "muted", dir: "auto" }, one.against),
      el("td", { class: "number strong" }, one.difference), el("td", { class: "interval-cell" }, low === null ? null : interval({ mark: mark && "⚠️", numbers: { difference, low, high } }, far), el("span", null, one.interval)),
      el("td", { class: "number" }, String(one.pairs)), el("td", { class: "number" }, one.missing ? String(one.missing) : ""));
  };
  return section("axes", "What does each axis do, all else equal?", `${report.metrics[0]}, mean over pairs of variants that differ in nothing else`,
    el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "What each axis does" },
      el("table", { class: "statistics compared-board" }, el("thead", null, el("tr", null, head.map((name) => el("th", { scope: "col", class: ["Difference", "Pairs", "Missing"].includes(name) ? "number" : null }, name)))), el("tbody", null, report.effects.map(line)))));
}

function sweptLink(query, act) {
  return button("", { class: "link", title: query.query, on: { click: act } }, el("bdi", null, query.query));
}

// What one variant finds and no other does.
function aloneSection(page, pick) {
  const rows = page.columns.map((name, at) => ({ name, at, queries: page.asked.filter((query) => query.only === at) })).filter((row) => row.queries.length).sort((one, other) => other.queries.length - one.queries.length);
  if (page.columns.length < 2) return null;
  if (!rows.length) return section("alone", "What does each variant alone find?", "", empty("Nothing", "What one variant finds, at least one other finds as well."));
  const held = el("div");
  const show = (all) => {
    const some = all ? rows : rows.slice(0, ALONE_FIRST);
    replace(held, el("table", { class: "plain alone" },
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Variant"), el("th", { scope: "col", class: "number" }, "Queries"), el("th", { scope: "col" }, "Which"))),
      el("tbody", null, some.map((row) => el("tr", null, el("th", { scope: "row" }, el("bdi", null, breakable(row.name))), el("td", { class: "number" }, String(row.queries.length)),
        el("td", null, el("ul", { class: "query-list" }, row.queries.slice(0, ALONE_QUERIES).map((query) => el("li", null, sweptLink(query, () => pick(query, row.at)))), row.queries.length > ALONE_QUERIES ? el("li", { class: "muted" }, `and ${row.queries.length - ALONE_QUERIES} more`) : null)))))),
    some.length < rows.length ? button("", { class: "quiet", on: { click: () => show(true) } }, `Show all ${rows.length}`) : null);
  };
  show(false);
  return section("alone", "What does each variant alone find?", "queries that no other variant finds", el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "What each variant alone finds" }, held));
}

function isMissed(query) {
  return query.expected.length > 0 && query.first.every((rank) => rank <= 0);
}

function missedSection(page, pick) {
  const missed = page.asked.filter(isMissed);
  const about = `${missed.length} of ${many(page.asked.length, "query", "queries")}`;
  if (!missed.length) return section("missed", "Which queries does no variant answer?", "", empty("None", "Each query is answered by at least one variant."));
  return section("missed", "Which queries does no variant answer?", about, el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Queries that no variant answers" },
    el("table", { class: "plain missed" }, el("thead", null, el("tr", null, ["Query", "Category", "Expected"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, missed.map((query) => el("tr", null, el("th", { scope: "row" }, sweptLink(query, () => pick(query))), el("td", { dir: "auto" }, query.category),
        el("td", null, query.expected.slice(0, 2).map((text, at) => [at ? el("br") : null, place(text)]), query.expected.length > 2 ? el("span", { class: "muted" }, ` and ${query.expected.length - 2} more`) : null)))))));
}

function sweepNotes(report) {
  return report.notes.length ? section("notes", "Run details", "", el("ul", { class: "notes card" }, report.notes.map((note) => el("li", { dir: "auto" }, when(note))))) : null;
}
