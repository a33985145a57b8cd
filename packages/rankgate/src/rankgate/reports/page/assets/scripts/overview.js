// The verdict first: how it ended, what broke, what to do next; then the figures behind it.

function stateName(report) {
  const { state } = report.summary;
  return state[0].toUpperCase() + state.slice(1);
}

function hero(report) {
  const { summary } = report;
  const [sign, tone] = STATES[summary.state] || STATES.inconclusive;
  const { time } = report.header;
  return el("section", { id: "verdict", class: `hero tone-${tone}`, "aria-labelledby": "verdict-title" },
    el("div", { class: "hero-mark" }, el("span", { class: "disc disc-large disc-tone" }, icon(sign))),
    el("div", { class: "hero-words" },
      el("p", { class: "hero-suite" }, el("b", { class: "hero-state" }, stateName(report)), ` (exit code ${report.exit_code}) · `, el("bdi", null, report.title), report.system ? [" · ", el("bdi", null, report.system)] : null),
      el("h1", { id: "verdict-title", dir: "auto" }, breakable(summary.headline || report.status)),
      summary.reason ? el("p", { class: "hero-status", dir: "auto" }, breakable(summary.reason)) : null,
      (summary.findings || []).map((finding) => el("p", { class: "hero-changed", dir: "auto" }, breakable(finding))),
      summary.changed ? el("p", { class: "hero-changed", dir: "auto" }, breakable(summary.changed)) : null,
      summary.lines.length ? el("ul", { class: "hero-lines" }, summary.lines.map((line) => el("li", { dir: "auto" }, breakable(line.words), line.command ? [" ", el("code", null, line.command)] : null))) : null),
    time ? el("p", { class: "hero-when" }, el("time", null, when(time))) : null);
}

const BROKEN_FIRST = 4;

// What broke, with where it was and is, what was expected and what came instead; and the commands to run next.
function broken(page, pick) {
  const { summary } = page.report;
  const byCase = new Map(page.queries.map((query) => [query.case, query]));
  const steps = summary.steps.length ? el("section", { id: "next", "aria-labelledby": "next-title" }, el("div", { class: "section-head" }, el("h2", { id: "next-title" }, "What to do next")),
    el("ol", { class: "steps card" }, summary.steps.map((step) => el("li", null, el("p", null, step.label), copier(step.command, step.label))))) : null;
  if (!summary.broken.length) return steps;
  const line = (one) => {
    const query = byCase.get(one.case);
    const error = one.kind === "error";
    return el("li", { class: "broke" },
      el("p", { class: "broke-head" }, badge("❌", null, "disc-small"), el("span", { class: "broke-kind" }, one.kind), one.count > 1 ? el("span", { class: "muted" }, many(one.count, "query", "queries")) : null,
        one.ranks ? el("span", { class: "broke-ranks" }, one.ranks) : null),
      el("p", { class: "broke-query" }, query ? button("", { class: "link", dir: "auto", on: { click: () => pick(query) } }, one.query || "(an empty query)") : el("span", { dir: "auto" }, one.query)),
      one.expected && !error ? el("p", { class: "broke-fact" }, el("span", { class: "muted" }, "expected "), place(one.expected)) : null,
      one.first && !error ? el("p", { class: "broke-fact" }, el("span", { class: "muted" }, "now first "), place(one.first)) : null,
      one.reason && one.kind !== "lost" ? el("p", { class: "broke-fact muted", dir: "auto" }, breakable(one.reason)) : null);
  };
  const list = el("ul", { class: "broken card card-flush" });
  const rest = summary.broken.length - BROKEN_FIRST;
  const more = rest > 0 ? button("", { class: "quiet", on: { click: () => {
    list.append(...summary.broken.slice(BROKEN_FIRST).map(line));
    more.remove();
    list.children[BROKEN_FIRST].querySelector("button")?.focus();
  } } }, `Show ${rest.toLocaleString("en")} more`) : null;
  list.append(...summary.broken.slice(0, BROKEN_FIRST).map(line));
  const others = [summary.won_count ? `${summary.won_count.toLocaleString("en")} won` : "", summary.weakest ? `${summary.weakest.toLocaleString("en")} below the gate's value` : "", summary.fine ? `${summary.fine.toLocaleString("en")} fine` : ""].filter(Boolean).join(", ");
  const node = section("broken", `What broke: ${many(summary.broken_count, "query", "queries")}`, others ? `the others: ${others}` : "", list, more);
  return el("div", { class: steps ? "pair pair-broken" : "" }, node, steps);
}

function metrics(report) {
  if (!report.metrics.length) return null;
  return section("metrics", "Metrics", "", el("dl", { class: "metrics" }, report.metrics.map((row) =>
    el("div", { class: "metric" }, el("dt", null, row.metric, row.mark ? badge(row.mark, MARK_WORDS[row.mark], "disc-small") : null),
      el("dd", null, el("span", { class: "metric-value" }, row.value), el("span", { class: "metric-counted" }, row.counted))))));
}

// What to try next; its queries can be opened.
function advice(page, pick) {
  const { report } = page;
  if (!report.recommendations.length) return null;
  const byText = new Map(page.queries.map((query) => [query.query, query]));
  const example = (text) => (byText.has(text) ? button("", { class: "tag tag-link", dir: "auto", title: "Open this query", on: { click: () => pick(byText.get(text)) } }, text) : el("span", { class: "tag", dir: "auto" }, text));
  return section("advice", "What to try next", "", el("ul", { class: "advice" }, report.recommendations.map((one) =>
    el("li", { class: "card" }, el("h3", { dir: "auto" }, breakable(one.finding)), el("p", null, breakable(one.advice)), one.evidence ? el("p", { dir: "auto" }, breakable(one.evidence)) : null, one.cost ? el("p", { class: "more" }, one.cost) : null,
      one.examples.length ? el("p", { class: "examples" }, one.examples.map(example), one.more ? el("span", { class: "more" }, one.more) : null) : null))));
}
