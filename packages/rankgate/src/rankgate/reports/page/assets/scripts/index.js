// The page of a folder of results: a table a suite with its systems, how each ended last, and how it went over time.

const MOST_COMPARED = 8;

function buildIndex(data) {
  document.title = data.title ? `${data.title} · rankgate` : "rankgate";
  topBar(data.title, []);
  document.querySelector(".skip-queries")?.remove();
  const said = data.notes.length ? section("notes", "Notes", "", el("ul", { class: "notes card" }, data.notes.map((note) => el("li", { dir: "auto" }, note)))) : null;
  replace(document.getElementById("main"),
    el("div", { class: "index-head" }, el("h1", null, "Evaluations"), el("p", { class: "about", dir: "auto" }, data.title)),
    data.suites.length ? [...new Set(data.suites.map((pair) => pair.suite))].map((suite, number) => indexSuite(data.suites.filter((pair) => pair.suite === suite), number)) : empty("No evaluations yet", "Run rankgate test in this project, and they appear here."), said);
  // A folder grows while it is looked at: coming back to the page asks for it anew.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

function recordName(record) {
  return record.commit || `#${record.number}`;
}

// One of the eight states, by its sign and its name; what older versions kept has a mark alone.
function stateBadge(record) {
  const state = record.state || { "✅": "passed", "⚠️": "inconclusive", "❌": "failed" }[record.mark];
  const [sign, tone] = STATES[state];
  return el("span", { class: `record-state tone-${tone}` }, el("span", { class: "disc disc-small disc-tone" }, icon(sign)), el("b", null, state));
}

// One table a suite: a row a system, the best first, and any evaluations of it to compare.
function indexSuite(pairs, number) {
  const id = `suite-${number}`;
  const [{ suite }] = pairs;
  const metrics = pairs.reduce((most, pair) => (pair.metrics.length > most.length ? pair.metrics : most), []);
  const selected = [];
  const go = el("a", { class: "quiet compare", role: "link", "aria-disabled": "true" }, "Compare selected");
  const said = el("span", { class: "legend", role: "status" }, "Select two or more.");
  const tick = (pair, record, box) => {
    if (box.checked) selected.push({ pair, record });
    else selected.splice(selected.findIndex((one) => one.record === record), 1);
    const ordered = compareOrder(selected);
    if (ordered.length > 1) go.setAttribute("href", `/compare/${ordered.map((one) => encodeURIComponent(one.record.key)).join("/")}`);
    else go.removeAttribute("href");
    go.setAttribute("aria-disabled", String(ordered.length < 2));
    const name = (one) => (new Set(ordered.map((each) => each.pair.system)).size === ordered.length ? one.pair.system : `${one.pair.system} ${recordName(one.record)}`);
    said.textContent = ordered.length > MOST_COMPARED ? `At most ${MOST_COMPARED} can be compared.` : ordered.length > 1 ? `${ordered.slice(1).map(name).join(", ")} compared with ${name(ordered[0])}` : "Select two or more.";
    if (ordered.length > MOST_COMPARED) { go.removeAttribute("href"); go.setAttribute("aria-disabled", "true"); }
  };
  const head = [el("td"), ...["System", "Latest", "Result"].map((name) => el("th", { scope: "col" }, name)), ...metrics.map((metric) => el("th", { scope: "col", class: "number" }, metric.name)), el("td")];
  const comparable = pairs.flatMap((pair) => pair.records).filter((record) => record.kept).length > 1;
  return el("section", { id, class: "card index-suite", "aria-labelledby": `${id}-title` },
    el("div", { class: "index-top" }, el("div", { class: "index-words" }, el("h2", { id: `${id}-title` }, el("bdi", null, suite)),
      el("p", { class: "about" }, `${pairs.length === 1 ? "1 system" : `${pairs.length} systems, the best first by ${metrics.length ? metrics[0].name : "name"}`}`))),
    el("div", { class: "records" },
      el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": `Systems on ${suite}` },
        el("table", { class: "plain" }, el("thead", null, el("tr", null, head)), pairs.map((pair, at) => systemRows(pair, metrics, tick, `${id}-${at}`)))),
      comparable ? el("div", { class: "compare-line" }, go, said) : null),
    pairs.flatMap((pair) => pair.notes.map((note) => el("p", { class: "legend" }, pairs.length > 1 ? [el("bdi", null, pair.system), ": "] : null, note))));
}

// Of one system the older is compared with; otherwise the one that was selected first.
function compareOrder(selected) {
  const one = new Set(selected.map((each) => each.pair.system)).size === 1;
  return one ? selected.slice().sort((left, right) => left.record.number - right.record.number) : selected.slice();
}

function systemRows(pair, metrics, tick, id) {
  const [last, ...earlier] = pair.records;
  const at = (metric) => pair.metrics.findIndex((one) => one.name === metric.name && one.unit === metric.unit);
  const row = (record, first) => {
    const name = `${pair.system}, ${recordName(record)}, evaluation ${record.number}`;
    const box = record.kept ? el("input", { type: "checkbox", "aria-label": `Select ${name}`, on: { change: (event) => tick(pair, record, event.target) } }) : null;
    const report = record.kept ? el("a", { class: "link", href: `/page/${encodeURIComponent(record.key)}`, "aria-label": `Open the report of ${name}` }, "Report") : el("span", { class: "muted", title: record.key ? "its page was removed to make room" : "it came to no verdict" }, record.key ? "removed" : "no verdict");
    return el("tr", first ? { class: "system-row" } : { class: "record-row" }, el("td", null, box),
      first ? el("th", { scope: "row", dir: "auto" }, pair.system) : el("td", { class: "muted number" }, `#${record.number}`),
      el("td", { class: "nowrap", title: record.status }, el("span", { class: "record-name" }, recordName(record)), record.version ? el("span", { class: "record-version", dir: "auto" }, record.version) : null, el("span", { class: "record-when" }, when(record.time))),
      el("td", null, stateBadge(record), el("span", { class: "record-status" }, record.status)),
      metrics.map((metric) => el("td", { class: "number" }, record.shown[at(metric)] || "–")), el("td", { class: "nowrap number" }, report));
  };
  const history = el("tbody", { id, hidden: true });
  const main = el("tbody", null, row(last, true));
  if (!earlier.length) return main;
  const toggle = button("", { class: "quiet", "aria-expanded": "false", "aria-controls": id, on: { click: () => {
    const open = history.hidden;
    if (open && !history.childElementCount) replace(history, el("tr", null, el("td", { colspan: String(metrics.length + 5), class: "trend-cell" }, systemTrend(pair))), earlier.map((record) => row(record, false)));
    history.hidden = !open;
    toggle.setAttribute("aria-expanded", String(open));
    toggle.textContent = open ? "Hide earlier" : `${earlier.length} earlier`;
  } } }, `${earlier.length} earlier`);
  main.querySelector("th").append(toggle);
  return [main, history];
}

function systemTrend(pair) {
  return el("div", { class: "index-trend" }, pair.trend.points.length > 1 ? trendFigure(pair.trend) : el("p", { class: "none" }, "One evaluation so far: a line needs two."));
}
