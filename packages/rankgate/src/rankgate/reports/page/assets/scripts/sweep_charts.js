// Charts of a sweep. Variants are named by their place in the table, so that a hundred fit.

const HEAT_MOST = 400;
const HEAT_STEPS = 12;
const HEAT_NAMED = 80;

function placeTip(held, chart, left, top, page, at, ...lines) {
  tell(held, chart, left, top, el("strong", { dir: "auto" }, `${at + 1}. ${page.report.rows[at].name}`), lines.map((line) => el("span", null, line)));
}

function variantTone(row) {
  return row.baseline ? "text" : row.mark === "✅" ? "good" : row.mark === "❌" ? "bad" : "muted";
}

// Each variant's difference to the one in use, with its interval, in the order of the table.
function intervalSection(page) {
  const { report } = page;
  const shown = report.rows.map((row, at) => ({ row, at })).filter(({ row }) => row.baseline || (row.numbers.difference !== null && !row.same_as));
  if (shown.length < 2) return null;
  const metric = page.metric.name;
  const about = `Difference of ${metric} to the variant in use, with 95 % intervals, ${shown.length} variants in the order of the table. The table below has the same figures.`;
  const rows = () => shown.map(({ row }) => [row.name, row.means[0], row.difference || "in use", row.interval, row.p]);
  return section("intervals", "Which variants differ from the one in use?", `${metric}${page.metric.unit ? ` in ${page.metric.unit}` : ""}, ${page.metric.less ? "less" : "more"} is better`,
    el("figure", { class: "card" }, intervalChart(page, shown, about),
      el("p", { class: "legend" }, "● difference with its 95 % interval, each as if it were the only one; green and red are better and worse by Holm's rule over all. An interval is for all queries like these, and may hold 0 where the test on these ones is significant. Numbers are places in the table."),
      chartTable(`${metric} of each variant`, ["Variant", metric, "Difference", "95 % interval", "p (Holm)"], rows)));
}

function intervalChart(page, shown, about) {
  const held = frame(about, 280);
  const values = shown.flatMap(({ row }) => [row.numbers.low, row.numbers.high, row.numbers.difference].map((value) => value ?? 0));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = Math.max((high - low) * 0.08, 1e-6);
  const draw = (chart) => {
    const { ctx, bbox } = chart;
    const ratio = devicePixelRatio;
    const wide = Math.max(1.5, Math.min(5, bbox.width / ratio / shown.length / 3.2)) * ratio;
    ctx.save();
    ctx.strokeStyle = colour("line-strong");
    ctx.lineWidth = ratio;
    const zero = Math.round(chart.valToPos(0, "y", true));
    ctx.beginPath();
    ctx.moveTo(bbox.left, zero);
    ctx.lineTo(bbox.left + bbox.width, zero);
    ctx.stroke();
    const tones = Object.fromEntries(["text", "good", "bad", "muted"].map((name) => [name, [colour(name), colour(name, 45)]]));
    shown.forEach(({ row }, at) => {
      const [full, soft] = tones[variantTone(row)];
      const x = chart.valToPos(at, "x", true);
      const { low: from, high: to, difference } = row.numbers;
      if (from !== null) {
        ctx.strokeStyle = soft;
        ctx.lineWidth = Math.max(1, wide * 0.8);
        ctx.beginPath();
        ctx.moveTo(x, chart.valToPos(from, "y", true));
        ctx.lineTo(x, chart.valToPos(to, "y", true));
        ctx.stroke();
      }
      ctx.fillStyle = full;
      ctx.beginPath();
      const y = chart.valToPos(difference ?? 0, "y", true);
      if (row.baseline) ctx.rect(x - wide * 1.2, y - wide * 1.2, 2.4 * wide, 2.4 * wide);
      else ctx.arc(x, y, wide, 0, 2 * Math.PI);
      ctx.fill();
    });
    ctx.restore();
  };
  const labelled = (chart) => {
    const step = Math.max(1, Math.ceil((shown.length * 30) / Math.max(1, chart.width - 60)));
    return shown.map((_, at) => at).filter((at) => at % step === 0);
  };
  const ready = (chart) => {
    chart.over.addEventListener("mousemove", (event) => {
      const box = chart.over.getBoundingClientRect();
      const left = event.clientX - box.left;
      const { row, at } = shown[Math.max(0, Math.min(shown.length - 1, Math.round(chart.posToVal(left, "x"))))];
      placeTip(held, chart, left, event.clientY - box.top, page, at, row.baseline ? `${row.means[0]}, in use` : `${row.difference} (${row.interval})`, row.baseline ? "" : row.finding);
    });
    chart.over.addEventListener("mouseleave", () => { held.tip.hidden = true; });
  };
  plot(held, {
    scales: { x: { time: false, range: [-0.7, shown.length - 0.3] }, y: { range: [low - room, high + room] } },
    axes: [axis({ ...axisLabel("variants, best first"), size: 26, grid: { show: false }, splits: labelled, values: (_, splits) => splits.map((at) => String(shown[at].at + 1)) }),
      axis({ ...axisLabel(`difference of ${page.metric.name}`), size: 56, values: (_, splits) => splits.map((split) => (split > 0 ? `+${rounded(split)}` : split < 0 ? `−${rounded(-split)}` : "0")) })],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { draw: [draw], ready: [ready] },
  }, [shown.map((_, at) => at), shown.map(() => 0)]);
  return held.box;
}

// Quality against what a query costs; on the front nothing is better for as little.
function costSection(page, chart) {
  const { report, metric } = page;
  const front = chart.points.filter((point) => point.front).sort((one, other) => one.cost - other.cost);
  const about = `${metric.name} against ${chart.name} of ${chart.points.length} variants. The table below has the same figures.`;
  const rows = () => chart.points.slice().sort((one, other) => one.cost - other.cost).map((point) => [report.rows[point.row].name, report.rows[point.row].means[0], point.shown, point.front ? "on the front" : ""]);
  return section(`cost-${chart.name}`, `What does quality cost in ${chart.name}?`, `${metric.name} against ${chart.unit}`,
    el("figure", { class: "card" }, costChart(page, chart, front, about),
      el("p", { class: "legend" }, `● on the front: no variant is better for as little. ○ all others. ■ in use. On the front: ${front.map((point) => point.row + 1).join(", ")}.`),
      chartTable(`${metric.name} and ${chart.name} of each variant, the cheapest first`, ["Variant", metric.name, chart.unit, "Front"], rows)));
}

function costChart(page, chart, front, about) {
  const held = frame(about, 300);
  const ends = (values) => { const [low, high] = [Math.min(...values), Math.max(...values)]; const room = Math.max((high - low) * 0.1, Math.abs(high) * 0.01, 1e-6); return [low - room, high + room]; };
  const where = (one, point, canvas) => [one.valToPos(point.cost, "x", canvas), one.valToPos(point.value, "y", canvas)];
  const draw = (one) => {
    const { ctx } = one;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = colour("accent");
    ctx.lineWidth = 1.5 * ratio;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.beginPath();
    front.forEach((point, at) => ctx[at ? "lineTo" : "moveTo"](...where(one, point, true)));
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.font = `600 ${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
    for (const point of chart.points.slice().sort((a, b) => a.front - b.front)) {
      const [x, y] = where(one, point, true);
      const inUse = page.report.rows[point.row].baseline;
      ctx.beginPath();
      if (inUse) ctx.rect(x - 5 * ratio, y - 5 * ratio, 10 * ratio, 10 * ratio);
      else ctx.arc(x, y, (point.front ? 5.5 : 4) * ratio, 0, 2 * Math.PI);
      ctx.fillStyle = point.front ? colour("accent") : colour("surface");
      ctx.strokeStyle = colour(inUse ? "text" : point.front ? "accent" : "muted");
      ctx.lineWidth = 1.5 * ratio;
      ctx.fill();
      ctx.stroke();
      if (!point.front && !inUse) continue;
      ctx.fillStyle = colour("text");
      ctx.fillText(String(point.row + 1), x + 7 * ratio, y - 8 * ratio);
    }
    ctx.restore();
  };
  const ready = (one) => {
    one.over.addEventListener("mousemove", (event) => {
      const box = one.over.getBoundingClientRect();
      const [left, top] = [event.clientX - box.left, event.clientY - box.top];
      const far = (point) => { const [x, y] = where(one, point, false); return Math.hypot(x - left, y - top); };
      const near = chart.points.reduce((best, point) => (far(point) < far(best) ? point : best));
      if (far(near) > 24) return void (held.tip.hidden = true);
      placeTip(held, one, left, top, page, near.row, `${page.report.rows[near.row].means[0]}, ${near.shown} ${chart.unit}`, near.front ? "on the front" : "");
    });
    one.over.addEventListener("mouseleave", () => { held.tip.hidden = true; });
  };
  plot(held, {
    scales: { x: { time: false, range: ends(chart.points.map((point) => point.cost)) }, y: { range: ends(chart.points.map((point) => point.value)) } },
    axes: [axis({ ...axisLabel(chart.unit), size: 26 }), axis({ ...axisLabel(page.metric.name), size: 52 })],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { draw: [draw], ready: [ready] },
  }, [chart.points.map((point) => point.cost).sort((a, b) => a - b), chart.points.map((point) => point.value)]);
  return held.box;
}

// Whether variants differ in a query.
function isApart(query) {
  return query.values.some((value, at) => value !== query.values[0] || query.first[at] !== query.first[0]);
}

// A row a query, a column a variant: the stronger, the better. Queries that all variants answer alike are left out,
// and the queries below open the same.
function heatSection(page, pick) {
  if (!page.asked.length || page.columns.length < 2) return null;
  const spread = (query) => { const known = query.values.filter((value) => value >= 0).map((value) => page.scores[value][0]); return known.length ? Math.max(...known) - Math.min(...known) : 0; };
  const apart = page.asked.filter(isApart).sort((one, other) => findersOf(one) - findersOf(other) || spread(other) - spread(one));
  const queries = apart.slice(0, HEAT_MOST);
  if (!queries.length) return section("heat", "In which queries do variants differ?", "", empty("In none", "All variants score the same in every query."));
  const about = `${page.metric.name} of ${queries.length} queries in ${page.columns.length} variants. The table below has the same figures.`;
  const rows = () => queries.map((query) => { const [low, high] = scoreEnds(page, query); return [query.query, `${findersOf(query)} of ${page.columns.length}`, low, high, query.only === null ? "" : page.columns[query.only]]; });
  const left = [apart.length > queries.length ? ` ${many(apart.length - queries.length, "query", "queries")} that more variants find left out.` : "", apart.length < page.asked.length ? ` ${many(page.asked.length - apart.length, "query", "queries")} in which all variants score the same left out.` : ""];
  return section("heat", "In which queries do variants differ?", `${page.metric.name} by query and variant`,
    el("figure", { class: "card" }, heatCanvas(page, queries, about, pick),
      el("p", { class: "legend heat-legend" }, el("span", { class: "heat-key-cell heat-key-none" }), " not found ", el("span", { class: "heat-key-cell heat-key-low" }), " low ", el("span", { class: "heat-key-cell heat-key-high" }), " high ",
        el("span", { class: "heat-key-cell heat-key-only" }), " found by this variant alone. Columns: variants, best first. Rows: queries, found by the fewest first.", left),
      chartTable(`${page.metric.name} of each query over all variants`, ["Query", "Found by", "Lowest", "Highest", "Found only by"], rows)));
}

function heatCanvas(page, queries, about, pick) {
  const tall = queries.length <= HEAT_NAMED ? 18 : Math.max(4, Math.min(12, Math.floor(1100 / queries.length)));
  const top = 22;
  const held = frame(about, tall * queries.length + top);
  const canvas = el("canvas", { "aria-hidden": "true" });
  held.box.append(canvas);
  const scale = page.metric.scale || Math.max(...page.scores.map(([value]) => value), 1e-9);
  const share = (value) => { const part = Math.min(Math.max((value - (page.metric.lowest ?? 0)) / scale, 0), 1); return page.metric.less ? 1 - part : part; };
  const size = { gutter: 0, wide: 0, width: 0 };
  const measure = () => {
    size.width = Math.max(200, Math.floor(held.box.clientWidth));
    size.gutter = tall >= 13 && size.width > 700 ? 300 : 0;
    size.wide = Math.min(96, (size.width - size.gutter) / page.columns.length);
  };
  const draw = () => {
    measure();
    const ratio = devicePixelRatio;
    canvas.width = size.width * ratio;
    canvas.height = held.height * ratio;
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${held.height}px`;
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const steps = Array.from({ length: HEAT_STEPS + 1 }, (_, at) => colour("accent", 10 + Math.round((80 * at) / HEAT_STEPS)));
    const [none, error, text, muted, line] = [colour("bad", 22), colour("orange"), colour("text"), colour("muted"), colour("line")];
    const family = getComputedStyle(document.body).fontFamily;
    const gap = size.wide > 5 ? 1 : size.wide > 2.5 ? 0.5 : 0;
    ctx.font = `12px ${family}`;
    ctx.textBaseline = "middle";
    ctx.fillStyle = muted;
    ctx.textAlign = "center";
    const every = Math.max(1, Math.ceil(26 / size.wide));
    page.columns.forEach((_, at) => { if (at % every === 0 && size.gutter + at * size.wide < size.width - 14) ctx.fillText(String(at + 1), Math.max(4, size.gutter + (at + 0.5) * size.wide), top / 2); });
    ctx.textAlign = "left";
    queries.forEach((query, row) => {
      const y = top + row * tall;
      if (size.gutter) {
        ctx.fillStyle = text;
        ctx.fillText(shortened(query.query, 44), 0, y + tall / 2, size.gutter - 10);
      }
      query.first.forEach((rank, at) => {
        const score = query.values[at] < 0 ? null : page.scores[query.values[at]][0];
        ctx.fillStyle = rank === -1 ? error : score === null ? line : rank === 0 ? none : steps[Math.round(share(score) * HEAT_STEPS)];
        ctx.fillRect(size.gutter + at * size.wide, y, size.wide - gap, tall - (tall > 5 ? 1 : 0.5));
        if (query.only !== at) return;
        ctx.strokeStyle = text;
        ctx.lineWidth = 1.5;
        ctx.strokeRect(size.gutter + at * size.wide + 0.75, y + 0.75, Math.max(size.wide - gap - 1.5, 1), Math.max(tall - 2, 1.5));
      });
    });
  };
  const aimed = (event) => {
    const box = canvas.getBoundingClientRect();
    const [row, at] = [Math.floor((event.clientY - box.top - top) / tall), Math.floor((event.clientX - box.left - size.gutter) / size.wide)];
    return queries[row] && (at >= 0 || size.gutter) && at < page.columns.length ? { query: queries[row], at } : null;
  };
  const over = { over: canvas };
  canvas.addEventListener("mousemove", (event) => {
    const found = aimed(event);
    canvas.classList.toggle("aimed", Boolean(found));
    if (!found) return void (held.tip.hidden = true);
    const box = canvas.getBoundingClientRect();
    const score = found.at < 0 ? null : scoreOf(page, found.query, found.at);
    tell(held, over, event.clientX - box.left, event.clientY - box.top, el("strong", { dir: "auto" }, found.query.query),
      found.at < 0 ? null : el("span", { dir: "auto" }, `${found.at + 1}. ${page.columns[found.at]}`), found.at < 0 ? null : el("span", null, `${score ? score[1] : "–"}, ${rankWords(found.query.first[found.at])}${found.query.only === found.at ? ", found by it alone" : ""}`));
  });
  canvas.addEventListener("mouseleave", () => { held.tip.hidden = true; });
  canvas.addEventListener("click", (event) => { const found = aimed(event); if (found) pick(found.query, found.at < 0 ? undefined : found.at); });
  new ResizeObserver(() => { if (held.box.clientWidth && Math.floor(held.box.clientWidth) !== size.width) draw(); }).observe(held.box);
  drawn.add({ held, chart: { setSize: draw, redraw() {} }, get size() { return {}; } });
  return held.box;
}
