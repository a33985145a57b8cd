// Earlier evaluations: each metric over time with the gate's line and what changed.

const LANES = ["suite", "corpus", "system"];
const LANE_TALL = 15;

function metricGate(point, metric) {
  return point.gates.find((one) => one.metric === metric.name) || null;
}

function past(page) {
  const { trend } = page;
  if (!trend || trend.points.length < 2) return null;
  return section("past", "How did quality change over time?", many(trend.points.length, "evaluation"), trendFigure(trend));
}

// The chart of one metric at a time, with its figures as a table.
function trendFigure(trend) {
  const held = el("div", { class: "trend" });
  const show = (at) => replace(held, trendOf(trend, at));
  const ways = trend.metrics.map((metric) => metric.name);
  if (!ways.length) return null;
  show(0);
  return el("div", { class: "card" }, ways.length > 1 ? choice("Metric over time", ways, 0, show) : null, held, trend.note ? el("p", { class: "legend" }, trend.note) : null);
}

function trendOf(trend, at) {
  const metric = trend.metrics[at];
  const points = trend.points.filter((point) => point.values[at] !== null && point.values[at] !== undefined);
  if (points.length < 2) return el("p", { class: "none" }, `${metric.name} was measured ${points.length ? "once" : "in no evaluation"}: a line needs two.`);
  const head = ["Evaluation", "When", "Result", metric.name, "Gate", "Changed before it"];
  const rows = () => points.slice().reverse().map((point) => [point.name, when(point.time), point.status, point.shown[at], metricGate(point, metric)?.gate || "–", point.changed.join(", ") || "–"]);
  return el("figure", null,
    el("figcaption", null, `How did ${metric.name} go, and what changed with it?`, el("span", null, metric.less ? "less is better" : "more is better")),
    trendChart(points, metric, at),
    el("p", { class: "legend trend-legend" }, "● passed  ✕ failed  ○ nothing decided  ◆ not the same as in the evaluation before"),
    chartTable(`${metric.name} of each evaluation, the latest first`, head, rows));
}

function trendRange(metric, values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((high - low) * 0.18, metric.unit === "" ? 0.02 : Math.abs(high) * 0.05, 1e-9);
  const ends = [low - room, high + room];
  return metric.unit === "" && low >= 0 && high <= 1 ? [Math.max(0, ends[0]), Math.min(1.02, ends[1])] : ends;
}

function trendChart(points, metric, at) {
  const lanes = LANES.filter((lane) => points.some((point) => point.changed.includes(lane)));
  const below = lanes.length * LANE_TALL;
  const held = frame(`${metric.name} over ${points.length} evaluations, from ${points[0].shown[at]} to ${points[points.length - 1].shown[at]}. The table below has the same figures.`, 230 + below);
  const values = points.map((point) => point.values[at]);
  const bars = points.map((point) => metricGate(point, metric)?.bar ?? null);
  const range = trendRange(metric, [...values, ...bars.filter((bar) => bar !== null)]);
  const wide = Math.max(...points.map((point) => point.name.length)) * 7.2 + 16;
  // Half of the last name stands behind the last point.
  const room = Math.ceil(Math.min(wide / 2, 48));
  // As many names as fit beside each other; the latest is always one of them.
  const labelled = (chart) => {
    const step = Math.max(1, Math.ceil((points.length * wide) / Math.max(1, chart.width - 76 - room)));
    return points.map((_, number) => number).filter((number) => (points.length - 1 - number) % step === 0);
  };
  const draw = (chart) => {
    const { ctx, bbox } = chart;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = `${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
    const last = bars.length - 1;
    if (bars[last] !== null) {
      const y = chart.valToPos(bars[last], "y", true);
      ctx.fillStyle = colour("text");
      ctx.textAlign = "right";
      ctx.textBaseline = y - bbox.top < 16 * ratio ? "top" : "bottom";
      ctx.fillText(`gate ${metricGate(points[last], metric).bar}`, bbox.left + bbox.width + room * ratio, y + (ctx.textBaseline === "top" ? 3 : -3) * ratio);
    }
    points.forEach((point, number) => trendDot(ctx, chart.valToPos(number, "x", true), chart.valToPos(values[number], "y", true), kind(point.mark), ratio));
    ctx.textBaseline = "middle";
    lanes.forEach((lane, row) => {
      const y = bbox.top + bbox.height + (26 + (row + 0.5) * LANE_TALL) * ratio;
      ctx.textAlign = "right";
      ctx.fillStyle = colour("muted");
      ctx.fillText(lane, bbox.left - 6 * ratio, y);
      ctx.fillRect(bbox.left, Math.round(y), bbox.width, 0.5 * ratio);
      ctx.fillStyle = colour("accent");
      ctx.textAlign = "center";
      points.forEach((point, number) => { if (point.changed.includes(lane)) ctx.fillText("◆", chart.valToPos(number, "x", true), y); });
    });
    ctx.restore();
  };
  const words = (point) => [el("strong", null, `${point.name}: ${point.shown[at]}`), el("span", null, when(point.time)), el("span", { dir: "auto" }, point.status), point.changed.length ? el("span", null, `changed: ${point.changed.join(", ")}`) : null];
  plot(held, {
    padding: [12, room, 0, 0],
    scales: { x: { time: false, range: [-0.4, points.length - 0.6] }, y: { range } },
    axes: [axis({ ...axisLabel("evaluations, the latest on the right"), size: 26 + below, grid: { show: false }, splits: labelled, values: (_, splits) => splits.map((number) => points[number].name) }),
      axis({ ...axisLabel(metric.unit ? `${metric.name}, ${metric.unit}` : metric.name), size: 48 })],
    series: [{}, { stroke: () => colour("accent"), width: 1.75, points: { show: false } },
      { stroke: () => colour("text"), width: 1.25, dash: [5, 4], paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }],
    hooks: { draw: [draw], ready: [(chart) => {
      chart.over.addEventListener("mousemove", (event) => {
        const number = chart.posToIdx(event.clientX - chart.over.getBoundingClientRect().left);
        if (points[number]) tell(held, chart, chart.valToPos(number, "x"), chart.valToPos(values[number], "y"), ...words(points[number]));
      });
      chart.over.addEventListener("mouseleave", () => { held.tip.hidden = true; });
    }] },
  }, [points.map((_, number) => number), values, bars]);
  return held.box;
}

// A sign for each way to end, and never the colour alone.
function trendDot(ctx, x, y, name, ratio) {
  const wide = 4.5 * ratio;
  ctx.setLineDash([]);
  ctx.lineWidth = 1.75 * ratio;
  ctx.strokeStyle = colour(name === "none" ? "muted" : name);
  ctx.fillStyle = name === "good" ? colour("good") : colour("surface");
  ctx.beginPath();
  if (name === "bad") {
    ctx.moveTo(x - wide, y - wide);
    ctx.lineTo(x + wide, y + wide);
    ctx.moveTo(x - wide, y + wide);
    ctx.lineTo(x + wide, y - wide);
  } else {
    ctx.arc(x, y, wide, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.stroke();
}

