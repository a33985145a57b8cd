// Every query of a sweep, and one of them in two variants side by side.

function scoreOf(page, query, at) {
  return query.values[at] < 0 ? null : page.scores[query.values[at]];
}

function findersOf(query) {
  return query.first.filter((rank) => rank > 0).length;
}

function scoreEnds(page, query) {
  const known = query.values.filter((value) => value >= 0).map((value) => page.scores[value]).sort((one, other) => one[0] - other[0]);
  return known.length ? [known[0][1], known[known.length - 1][1]] : ["–", "–"];
}

function rankWords(rank) {
  return rankCell(rank)[1];
}

// All queries, those that the fewest variants find first.
function sweptQueries(page, pick) {
  let count = QUERIES_AT_ONCE;
  const held = el("div", { class: "card card-flush scrolled", tabindex: "0", role: "region", "aria-label": "Queries, found by the fewest variants first" });
  const foot = el("div", { class: "compared-foot" });
  const box = el("input", { type: "search", id: "sweep-find", placeholder: "Filter queries", "aria-label": "Filter queries", on: { input: () => { count = QUERIES_AT_ONCE; show(); } } });
  const line = (query) => {
    const [low, high] = scoreEnds(page, query);
    const finders = findersOf(query);
    return el("tr", null, el("th", { scope: "row" }, sweptLink(query, () => pick(query))), el("td", { dir: "auto" }, query.category),
      el("td", { class: "slice-cell", "aria-hidden": "true" }, el("span", { class: "slice-track" }, finders ? el("span", { class: "slice-bar", vars: { "--part": `${(100 * finders) / page.columns.length}%` } }) : null)),
      el("td", { class: "number nowrap" }, `${finders} of ${page.columns.length}`), el("td", { class: "number" }, low), el("td", { class: "number" }, high), el("td", { class: "number" }, rankWords(query.first[page.base])));
  };
  const show = () => {
    const wanted = box.value.trim().toLowerCase();
    const found = page.asked.filter((query) => !wanted || `${query.query} ${query.case} ${query.category}`.toLowerCase().includes(wanted));
    const rows = found.slice(0, count);
    const head = ["Query", "Category", "", "Found by", "Lowest", "Highest", "In use"];
    replace(held, rows.length ? el("table", { class: "plain swept" },
      el("thead", null, el("tr", null, head.map((name, at) => (name ? el("th", { scope: "col", class: at > 2 ? "number" : null }, name) : el("td", { "aria-hidden": "true" }))))), el("tbody", null, rows.map(line))) : empty("No query matches", "Change the filter."));
    replace(foot, el("p", { class: "legend", role: "status" }, `${rows.length.toLocaleString("en")} of ${many(found.length, "query", "queries")}, found by the fewest variants first`),
      rows.length < found.length ? button("", { class: "quiet", on: { click: () => { count += 4 * QUERIES_AT_ONCE; show(); } } }, "Show more") : null);
  };
  show();
  return section("queries", "Which variants find each query?", page.metric.name, el("div", { class: "compared-tools" }, box), held, foot);
}

function openSwept(page, query, column) {
  address.set({ q: query.case, a: "", b: column === undefined || column === page.base ? "" : String(column + 1) }, true);
  sweepOpen(page);
  document.getElementById("query").scrollIntoView({ block: "start" });
  const title = document.getElementById("query-title");
  title.setAttribute("tabindex", "-1");
  title.focus({ preventScroll: true });
}

// The variant that does best in a query, other than the one in use.
function bestIn(page, query) {
  const worth = (at) => { const score = scoreOf(page, query, at); return score === null ? -Infinity : (page.metric.less ? -1 : 1) * score[0]; };
  const others = page.columns.map((_, at) => at).filter((at) => at !== page.base);
  return others.reduce((best, at) => (best === null || worth(at) > worth(best) ? at : best), null);
}

function sweepOpen(page) {
  const held = document.getElementById("opened");
  const query = page && page.asked.find((one) => one.case === address.get("q"));
  if (!held) return;
  if (!query) return void replace(held);
  const numbered = (name, otherwise) => { const at = Number(address.get(name)) - 1; return page.columns[at] === undefined ? otherwise : at; };
  const sides = [numbered("a", page.base), numbered("b", bestIn(page, query) ?? page.base)];
  const shown = el("div", { class: "two-rankings" });
  const label = (at) => `${at + 1}. ${page.columns[at]}${at === page.base ? " (in use)" : ""}`;
  const show = () => replace(shown, el("p", { class: "block-about" }, sides.map((at, side) => [side ? " · " : null, el("bdi", null, page.columns[at]), `: ${scoreOf(page, query, at)?.[1] ?? "–"}, ${rankWords(query.first[at])}`])),
    rankingsOf({ answers: sides.map((at) => ({ hits: sweptHits(page, query, at) })) }, 1, sides.map((at) => page.columns[at])));
  const select = (side, name, key) => el("label", { class: "side" }, el("span", null, name), el("select", { on: { change: (event) => { sides[side] = Number(event.target.value); address.set({ [key]: String(sides[side] + 1) }); show(); } } },
    page.columns.map((_, at) => el("option", { value: String(at), selected: at === sides[side] }, label(at)))));
  show();
  replace(held, section("query", "How do two variants rank one query?", "", el("div", { class: "card" },
    el("h3", { dir: "auto" }, query.query || "(an empty query)"),
    query.expected.length ? el("p", { class: "block-about" }, "Expected: ", query.expected.slice(0, 5).map((text, at) => [at ? ", " : null, place(text)]), query.expected.length > 5 ? ` and ${query.expected.length - 5} more` : null) : null,
    el("h4", { class: "strip-title" }, "Rank of the first relevant hit in each variant, the best variant first"), rankStrip(page, query),
    el("div", { class: "sides" }, select(0, "Left", "a"), select(1, "Right", "b")), shown)));
}

function rankStrip(page, query) {
  return el("ol", { class: "strip" }, query.first.map((rank, at) => {
    const [text, said, name] = rankCell(rank);
    return el("li", { class: `rank-cell rank-${name}`, title: `${page.columns[at]}: ${said}` }, el("span", { class: "strip-run" }, `${page.columns[at]}: `), text);
  }));
}

function sweptHits(page, query, at) {
  return query.rankings[query.ranking[at]].map((hit) => ({ location: page.places[Math.floor(hit / 4)], mark: page.marks[hit % 4] }));
}
