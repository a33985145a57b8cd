// The page of a folder of results: every suite and system, how it ended last, and how it went over time.

function buildIndex(data) {
  document.title = data.title ? `${data.title} · rankgate` : "rankgate";
  topBar(data.title, []);
  const said = data.notes.length ? section("notes", "Notes", "", el("ul", { class: "notes card" }, data.notes.map((note) => el("li", { dir: "auto" }, note)))) : null;
  replace(document.getElementById("main"),
    el("div", { class: "index-head" }, el("h1", null, "Evaluations"), el("p", { class: "about", dir: "auto" }, data.title)),
    data.suites.length ? data.suites.map(indexPair) : empty("No evaluations yet", "Run rankgate test in this project, and they appear here."), said);
  // A folder grows while it is looked at: coming back to the page asks for it anew.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

function recordName(record) {
  return record.commit || `#${record.number}`;
}

function trendEnd(point) {
  return el("span", null, `${point.name} `, el("b", null, point.shown));
}

function indexPair(pair, number) {
  const id = `pair-${number}`;
  const [last] = pair.records;
  const line = el("div", { class: "trend" });
  const show = (at) => {
    const points = pair.records.filter((record) => record.values[at] !== null && record.values[at] !== undefined).map((record) => ({ value: record.values[at], shown: record.shown[at], name: recordName(record), label: [recordName(record), when(record.time)].filter(Boolean).join(" · ") })).reverse();
    replace(line, points.length > 1 ? [trend(points, `${pair.metrics[at].name} over time, the latest last: ${points.slice(-10).map((point) => point.shown).join(", ")}`),
      el("p", { class: "trend-ends" }, trendEnd(points[0]), trendEnd(points[points.length - 1]))] : el("p", { class: "none" }, "One evaluation so far: a line needs two."));
  };
  if (pair.metrics.length) show(0);
  const latest = last.kept ? el("a", { class: "index-latest", href: `/page/${encodeURIComponent(last.key)}` }, "Latest report ", icon("next")) : null;
  return el("section", { id, class: "card index-pair", "aria-labelledby": `${id}-title` },
    el("div", { class: "index-top" }, badge(last.mark, VERDICT_WORDS[last.mark]),
      el("div", { class: "index-words" }, el("h2", { id: `${id}-title` }, el("bdi", null, pair.suite), el("span", { class: "by" }, "asked of"), el("bdi", null, pair.system)), el("p", { class: "about" }, last.status)), latest),
    pair.metrics.length ? el("div", { class: "index-trend" }, choice("Metric", pair.metrics.map((metric) => metric.name), 0, show), line) : null,
    recordTable(pair), pair.notes.map((note) => el("p", { class: "legend" }, note)));
}

// Any two that are kept can be ticked and compared, the older one as the baseline.
function recordTable(pair) {
  const ticked = [];
  const go = el("a", { class: "quiet compare", "aria-disabled": "true" }, "Compare two");
  const boxes = pair.records.map((record) => {
    if (!record.kept) return null;
    return el("input", { type: "checkbox", "aria-label": `Compare ${recordName(record)}, evaluation ${record.number}`, on: { change: (event) => {
      if (event.target.checked) ticked.push(record);
      else ticked.splice(ticked.indexOf(record), 1);
      while (ticked.length > 2) boxes[pair.records.indexOf(ticked.shift())].checked = false;
      const [before, after] = ticked.slice().sort((one, other) => one.number - other.number);
      if (after) go.setAttribute("href", `/compare/${encodeURIComponent(before.key)}/${encodeURIComponent(after.key)}`);
      else go.removeAttribute("href");
      go.setAttribute("aria-disabled", String(!after));
      go.textContent = after ? `Compare ${recordName(after)} with ${recordName(before)}` : "Compare two";
    } } });
  });
  const head = [el("td"), ...["Result", "Evaluation", "When"].map((name) => el("th", { scope: "col" }, name)), ...pair.metrics.map((metric) => el("th", { scope: "col", class: "number" }, metric.name)), el("td")];
  const rows = pair.records.map((record, at) => el("tr", null,
    el("td", null, boxes[at]), el("td", null, badge(record.mark, VERDICT_WORDS[record.mark], "disc-small")),
    el("td", { class: "nowrap", title: record.status }, el("span", { class: "record-name" }, recordName(record)), record.version ? el("span", { class: "record-version", dir: "auto" }, record.version) : null),
    el("td", { class: "nowrap muted" }, when(record.time)), pair.metrics.map((_, number) => el("td", { class: "number" }, record.shown[number])),
    el("td", { class: "nowrap number" }, record.kept ? el("a", { class: "link", href: `/page/${encodeURIComponent(record.key)}`, "aria-label": `Open the report of ${recordName(record)}, evaluation ${record.number}` }, "Open") : el("span", { class: "muted", title: "its page was removed to make room" }, "removed"))));
  return el("div", { class: "records" },
    el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": `Evaluations of ${pair.suite} by ${pair.system}` }, el("table", { class: "plain" }, el("thead", null, el("tr", null, head)), el("tbody", null, rows))),
    pair.records.filter((record) => record.kept).length > 1 ? go : null);
}
