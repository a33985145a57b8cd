// Charts, drawn by uPlot in the colours of the style sheet; drawn anew when these change.

const drawn = new Set();
const probe = el("span", { class: "probe", "aria-hidden": "true" });

function colour(name, alpha) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = alpha === undefined ? `var(--${name})` : `color-mix(in srgb, var(--${name}) ${alpha}%, transparent)`;
  return getComputedStyle(probe).color;
}

function axis(more) {
  return { stroke: () => colour("muted"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { show: false }, font: "12px " + getComputedStyle(document.body).fontFamily, gap: 6, ...more };
}

function axisLabel(text) {
  return { label: text, labelSize: 20, labelGap: 0, labelFont: "12px " + getComputedStyle(document.body).fontFamily };
}

function rounded(number) {
  return `${Number(number.toPrecision(3))}`;
}

// The figures of a chart as a table, for whoever cannot see it or wants them exactly; made when it is opened.
function chartTable(about, head, rows) {
  const held = el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": about });
  const node = el("details", { class: "chart-table" }, el("summary", null, "Show as a table"), held);
  node.addEventListener("toggle", () => {
    if (!node.open || held.childElementCount) return;
    const all = rows();
    const shown = all.slice(0, TABLE_MOST);
    replace(held, el("table", { class: "plain" }, el("caption", null, all.length > shown.length ? `${about}: the first ${shown.length} of ${all.length.toLocaleString("en")}` : about),
      el("thead", null, el("tr", null, head.map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", null, shown.map((row) => el("tr", null, row.map((text, at) => (at ? el("td", { class: "number" }, text) : el("th", { scope: "row", dir: "auto" }, text))))))));
  });
  return node;
}

const TABLE_MOST = 200;

function frame(about, height) {
  const tip = el("div", { class: "tip", hidden: true });
  const box = el("div", { class: "chart", role: "img", "aria-label": about, vars: { "min-height": `${height}px` } }, tip);
  return { box, tip, height };
}

// What is far down the page is drawn when somebody comes near it.
function whenSeen(node, act) {
  const watcher = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    watcher.disconnect();
    pending.delete(node);
    act();
  }, { rootMargin: "600px" });
  node.classList.add("unseen");
  pending.set(node, () => { watcher.disconnect(); act(); });
  watcher.observe(node);
}

// On paper everything is seen.
const pending = new Map();

function drawPending() {
  for (const [node, act] of pending) {
    pending.delete(node);
    act();
  }
}

// A chart follows the width of its box.
function plot(held, options, data) {
  let chart = null;
  const width = () => Math.max(200, Math.floor(held.box.clientWidth));
  const watcher = new ResizeObserver(() => {
    if (!held.box.clientWidth) return;
    if (chart) return void (chart.width !== width() && chart.setSize({ width: width(), height: held.height }));
    chart = new uPlot({ width: width(), height: held.height, legend: { show: false }, padding: [12, 8, 0, 0], ...options, cursor: { drag: { x: false, y: false }, points: { show: false }, x: false, y: false, ...options.cursor } }, data, held.box);
    drawn.add({ held, chart, get size() { return { width: width(), height: held.height }; } });
  });
  watcher.observe(held.box);
  return { get chart() { return chart; }, drop() { watcher.disconnect(); for (const one of drawn) if (one.chart === chart) drawn.delete(one); if (chart) chart.destroy(); } };
}

function redraw(width) {
  for (const { held, chart, size } of drawn) {
    if (!held.box.isConnected) continue;
    chart.setSize(width ? { width, height: held.height } : size);
    chart.redraw(false, true);
  }
}

function tell(held, chart, x, y, ...children) {
  const { tip } = held;
  replace(tip, ...children);
  tip.hidden = false;
  const box = held.box.getBoundingClientRect();
  const over = chart.over.getBoundingClientRect();
  const left = over.left - box.left + x;
  const room = box.width - tip.offsetWidth - 4;
  tip.style.left = `${Math.max(4, Math.min(room, left - tip.offsetWidth / 2))}px`;
  const top = over.top - box.top + y - tip.offsetHeight - 12;
  tip.style.top = `${top < 0 ? over.top - box.top + y + 16 : top}px`;
}

// What a metric's axis spans: all of it for shares, what there is for the rest.
function span(metric, values) {
  return metric.unit === "" ? [0, 1] : [Math.min(0, ...values), Math.max(1e-9, ...values) * 1.05];
}

// Queries with the same two values are one dot, the larger the more they are, with their number.
function scatter(page, at, rows, pick) {
  const metric = page.metrics[at];
  const held = frame(`${metric.name} of each query before and now. The table below has the same figures.`, 320);
  const [low, high] = span(metric, rows.flatMap((query) => [query.values[at], query.before.values[at]]).reduce((ends, value) => [Math.min(ends[0], value), Math.max(ends[1], value)], [Infinity, -Infinity]));
  const dots = new Map();
  for (const query of rows) {
    const key = [query.before.values[at], query.values[at]].map((value) => Math.round((200 * (value - low)) / (high - low))).join(" ");
    if (dots.has(key)) dots.get(key).push(query);
    else dots.set(key, [query]);
  }
  const ordered = [...dots.values()].sort((one, other) => other.length - one.length);
  const most = ordered.length ? ordered[0].length : 1;
  const radius = (count) => 4.5 + (most > 1 ? 13.5 * Math.sqrt((count - 1) / Math.max(most - 1, 24)) : 0);
  const room = (high - low) * 0.07;
  const names = { same: "muted", better: "good", worse: "bad" };
  const where = (chart, [query], canvas) => [chart.valToPos(query.before.values[at], "x", canvas), chart.valToPos(query.values[at], "y", canvas)];
  const draw = (chart) => {
    const { ctx } = chart;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = colour("line-strong");
    ctx.lineWidth = ratio;
    ctx.beginPath();
    ctx.moveTo(chart.valToPos(low, "x", true), chart.valToPos(low, "y", true));
    ctx.lineTo(chart.valToPos(high, "x", true), chart.valToPos(high, "y", true));
    ctx.stroke();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `600 ${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
    for (const found of ordered) {
      const [x, y] = where(chart, found, true);
      const way = wayOf(page, found[0], at);
      const wide = radius(found.length);
      ctx.beginPath();
      ctx.arc(x, y, wide * ratio, 0, 2 * Math.PI);
      ctx.fillStyle = colour("surface");
      ctx.fill();
      ctx.fillStyle = colour(names[way], way === "same" ? 30 : 38);
      ctx.fill();
      ctx.strokeStyle = colour(names[way]);
      ctx.stroke();
    }
    // Above every dot, so that none hides a number.
    ctx.fillStyle = colour("text");
    for (const found of ordered) if (radius(found.length) >= 8) ctx.fillText(found.length.toLocaleString("en"), ...where(chart, found, true));
    ctx.restore();
  };
  const near = (chart, left, top) => {
    let best = [];
    let least = Infinity;
    for (const found of ordered) {
      const [x, y] = where(chart, found, false);
      const far = Math.hypot(x - left, y - top);
      if (far < Math.max(14, radius(found.length)) && far < least) [least, best] = [far, found];
    }
    return best;
  };
  plot(held, {
    scales: { x: { time: false, range: [low - room, high + room] }, y: { range: [low - room, high + room] } },
    axes: [axis({ ...axisLabel(`${metric.name} before`), size: 26 }), axis({ ...axisLabel(`${metric.name} now`), size: 44 })],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { draw: [draw], ready: [(chart) => pointing(held, chart, near, at, pick)] },
  }, [[low, high], [low, high]]);
  return held.box;
}

function waterfall(page, at, rows, pick) {
  const metric = page.metrics[at];
  const held = frame(`How much ${metric.name} of each query changed, from best to worst. The table below has the same figures.`, 320);
  const moved = rows.filter((query) => wayOf(page, query, at) !== "same").sort((one, other) => change(other, at) - change(one, at));
  if (!moved.length) return el("div", { class: "chart chart-empty", vars: { "min-height": "320px" } }, empty(`No query moved in ${metric.name}`));
  const most = Math.max(Math.abs(change(moved[0], at)), Math.abs(change(moved[moved.length - 1], at)));
  const bars = (way) => moved.map((query) => (wayOf(page, query, at) === way ? change(query, at) : null));
  const built = uPlot.paths.bars({ size: [0.82, 28], radius: moved.length < 120 ? 0.15 : 0 });
  const near = (chart, left) => [moved[Math.max(0, Math.min(moved.length - 1, Math.round(chart.posToVal(left, "x"))))]];
  plot(held, {
    scales: { x: { time: false, range: [-0.6 - Math.max(0, 12 - moved.length) / 2, moved.length - 0.4 + Math.max(0, 12 - moved.length) / 2] }, y: { range: [-most * 1.08, most * 1.08] } },
    axes: [axis({ ...axisLabel(`${many(moved.length, "query", "queries")}, best to worst`), size: 4, grid: { show: false }, values: (_, splits) => splits.map(() => "") }), axis({ ...axisLabel(`change of ${metric.name}`), size: 52, values: (_, splits) => splits.map((split) => (split > 0 ? `+${split}` : split < 0 ? `−${-split}` : "0")) })],
    series: [{}, { paths: built, fill: () => colour("good", 80), stroke: () => "transparent", width: 0, points: { show: false } }, { paths: built, fill: () => colour("bad", 80), stroke: () => "transparent", width: 0, points: { show: false } }],
    hooks: { ready: [(chart) => pointing(held, chart, near, at, pick)] },
  }, [moved.map((_, number) => number), bars("better"), bars("worse")]);
  return held.box;
}

// Several dots may lie on one another: each click opens the next of them.
function pointing(held, chart, near, at, pick) {
  const { over } = chart;
  let picked = null;
  const aim = (event) => {
    const box = over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  over.addEventListener("mousemove", (event) => {
    const [left, top] = aim(event);
    const found = near(chart, left, top);
    over.classList.toggle("aimed", found.length > 0);
    if (!found.length) return void (held.tip.hidden = true);
    const [query] = found;
    tell(held, chart, left, top, el("strong", { dir: "auto" }, query.query),
      el("span", null, `${query.before.shown[at]} → ${query.shown[at]}`),
      found.length > 1 ? el("span", null, `and ${found.length - 1} more here`) : null);
  });
  over.addEventListener("mouseleave", () => { held.tip.hidden = true; });
  over.addEventListener("click", (event) => {
    const found = near(chart, ...aim(event));
    if (!found.length) return;
    picked = found[(found.indexOf(picked) + 1) % found.length];
    pick(picked);
  });
}
