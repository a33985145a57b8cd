// The verdict first: how it ended, what broke, what to do next; then the figures behind it.

function hero(report) {
  const name = kind(report.mark);
  const { time } = report.header;
  return el("section", { id: "verdict", class: `hero hero-${name}`, "aria-labelledby": "verdict-title" },
    el("div", { class: "hero-mark" }, badge(report.mark, null, "disc-large")),
    el("div", { class: "hero-words" },
      el("p", { class: "hero-suite" }, el("bdi", null, report.title), report.system ? [" · ", el("bdi", null, report.system)] : null),
      el("h1", { id: "verdict-title" }, VERDICT_WORDS[report.mark]),
      el("p", { class: "hero-status", dir: "auto" }, breakable(report.status))),
    time ? el("p", { class: "hero-when" }, el("time", null, when(time))) : null);
}

function metrics(report) {
  if (!report.metrics.length) return null;
  return section("metrics", "Metrics", "", el("dl", { class: "metrics" }, report.metrics.map((row) =>
    el("div", { class: "metric" }, el("dt", null, row.metric, row.mark ? badge(row.mark, MARK_WORDS[row.mark], "disc-small") : null),
      el("dd", null, el("span", { class: "metric-value" }, row.value), el("span", { class: "metric-counted" }, row.counted))))));
}

function latency(page) {
  const { latency: times } = page;
  if (!times.counts.length) return section("latency", "Latency", "", empty("No latency", "The run does not say how long the system took."));
  const shown = Object.entries(times.shown);
  const about = `Latency distribution in ms: ${shown.map(([name, text]) => `${name} ${text}`).join(", ")}`;
  const rows = times.counts.map((count, at) => [`${rounded(times.edges[at])} to ${rounded(times.edges[at + 1])}`, count.toLocaleString("en")]);
  return section("latency", "How long do queries take?", "",
    el("div", { class: "card" },
      el("dl", { class: "stats" }, shown.map(([name, text]) => el("div", null, el("dt", null, name), el("dd", null, text)))),
      latencyChart(times, about), chartTable("Latency distribution", ["ms", "queries"], () => rows)));
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
