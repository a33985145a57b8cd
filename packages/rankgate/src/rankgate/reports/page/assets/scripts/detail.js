// One query, whole: why it failed, what was wanted, what came, and what changed.

function detail(page, query, options) {
  return el("div", { class: "detail" }, why(query), scoresOf(page, query), targetsOf(query), detailRest(page, query, options));
}

function detailRest(page, query, options) {
  const answers = [changesOf(page, query), rankingOf(page, query, options)];
  // Where nothing changed, what was found tells more.
  if (page.metrics.every((_, at) => wayOf(page, query, at) === "same")) answers.reverse();
  return [answers, aboutOf(page, query)];
}

function detailHead(query, level) {
  return el("div", { class: "detail-head" },
    el("p", { class: "detail-ended" }, badge(query.mark, MARK_WORDS[query.mark]), el("span", { class: `word-${kind(query.mark)}` }, endedWord(query.ended)),
      query.category ? el("span", { class: "tag", dir: "auto" }, query.category) : null,
      query.tags.map((tag) => el("span", { class: "tag tag-light", dir: "auto" }, tag))),
    el(level, { class: "detail-query", dir: "auto", tabindex: "-1" }, query.query || "(an empty query)"),
    el("p", { class: "detail-case" }, el("bdi", null, query.case), query.where ? [" · ", el("bdi", null, query.where)] : null));
}

function block(title, ...children) {
  return el("div", { class: "block" }, el("h3", null, title), children);
}

function why(query) {
  if (!query.reasons.length) return null;
  const title = { known: "Why it may fail for now", short: "Why it is weak" }[query.ended] || "Why it failed";
  return el("div", { class: `why why-${kind(query.mark)}` }, el("h3", null, title),
    el("ul", null, query.reasons.map((reason) => el("li", { dir: "auto" }, breakable(reason)))));
}

function scoresOf(page, query) {
  const scores = page.metrics.map((metric, at) => {
    const was = query.before && query.before.shown[at];
    const way = wayOf(page, query, at);
    return el("div", { class: "score" }, el("dt", null, metric.name),
      el("dd", null, el("span", { class: "score-now" }, query.shown[at]),
        was !== undefined && was !== null ? el("span", { class: `score-was way-${way}` }, way === "same" ? "unchanged" : [`was ${was}`, " ", el("b", null, differenceText(query, at))]) : null));
  });
  return scores.length ? el("dl", { class: "scores" }, scores) : null;
}

function targetsOf(query) {
  if (!query.targets.length) return query.ended === "error" || query.ended === "timeout" ? null : block("Expected", el("p", { class: "none" }, "No result: no hit is right for this query."));
  return block("Expected", el("ul", { class: "targets" }, query.targets.map((target) =>
    el("li", null, badge(target.mark, MARK_WORDS[target.mark], "disc-small"), place(target.location),
      target.grade ? el("span", { class: "grade" }, `grade ${target.grade}`) : null,
      el("span", { class: `ended${target.rank === null ? " ended-not" : ""}`, dir: "auto" }, breakable(target.ended))))));
}

function changesOf(page, query) {
  if (!query.before) return null;
  const comparison = page.report.comparison;
  const names = comparison ? [comparison.before, comparison.after] : ["Before", "Now"];
  return block("Ranking changes", query.before.first ? el("p", { class: "block-about" }, query.before.first) : null, moves(query, names));
}

function rankingOf(page, query, options) {
  if (!query.hits.length) return block("Returned", el("p", { class: "none" }, query.returned || "Nothing."));
  const shown = options.hits ? query.hits.slice(0, options.hits) : query.hits;
  const opened = openedFirst(query);
  const list = el("ol", { class: "ranking" }, shown.map((hit, at) => hitRow(page, query, hit, at, options.open ? hit.text !== null && at < options.open : at === opened)));
  return el("div", { class: "block" }, el("div", { class: "block-head" }, el("h3", null, "Returned"), el("span", { class: "block-about" }, query.returned)), list);
}

// The text that tells most: of the first hit that found something, or else of the first.
function openedFirst(query) {
  const right = query.hits.findIndex((hit) => hit.mark === "✅" && hit.text !== null);
  return right >= 0 ? right : query.hits.findIndex((hit) => hit.text !== null);
}

// A hit on what an earlier one has found earns nothing.
function again(query, hit, at) {
  const earlier = new Set(query.hits.slice(0, at).flatMap((one) => one.targets));
  return hit.mark === "✅" && hit.targets.length > 0 && hit.targets.every((target) => earlier.has(target));
}

function hitRow(page, query, hit, at, open) {
  const row = el("li", { class: `hit is-${kind(hit.mark)}` });
  const about = [el("span", { class: "rank" }, at + 1), badge(hit.mark, HIT_WORDS[hit.mark], "disc-small"), place(titled(hit)),
    hit.move ? moveWord(hit.move, hit.mark) : null,
    hit.grade ? el("span", { class: "grade" }, `grade ${hit.grade}`) : null,
    again(query, hit, at) ? el("span", { class: "grade", title: "an earlier hit has found the same" }, "again") : null,
    hit.score ? el("span", { class: "hit-score", title: "the system's own score" }, hit.score) : null];
  const text = hit.text === null ? undefined : page.texts[hit.text];
  if (!text) {
    row.append(el("div", { class: "hit-head" }, el("span", { class: "twist" }), about));
    return row;
  }
  const head = button("", { class: "hit-head", "aria-expanded": String(open) }, el("span", { class: "twist" }, icon("next")), about);
  let body = open ? source(text, hit.marked, `text of hit ${at + 1}`) : null;
  head.addEventListener("click", () => {
    const opening = head.getAttribute("aria-expanded") !== "true";
    head.setAttribute("aria-expanded", String(opening));
    if (opening) row.append(body = source(text, hit.marked, `text of hit ${at + 1}`));
    else body.remove();
  });
  row.append(head);
  if (body) row.append(body);
  return row;
}

function aboutOf(page, query) {
  const pairs = {};
  if (query.filters) pairs["asked with"] = query.filters;
  if (query.where) pairs["in the suite"] = query.where;
  const list = Object.keys(pairs).length ? facts(pairs) : null;
  const command = query.ask ? copier(query.ask, "the command that runs this query again") : null;
  const kept = el("textarea", { class: "kept", "aria-hidden": "true", tabindex: "-1", readonly: true });
  const { said, node } = copying(() => queryMarkdown(page, query), "this query", () => { kept.value = queryMarkdown(page, query); kept.select(); }, "Copy as Markdown");
  return block("Rerun this query", list, command, el("div", { class: "copy-markdown" }, node, said, kept));
}
