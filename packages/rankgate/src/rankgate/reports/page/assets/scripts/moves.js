// Two rankings side by side, and a line for each hit that stands in both.

const MOVE_ROW = 36;
const MOVE_GAP = 72;
const MOVES_MOST = 20;

function moves(query, names) {
  const before = query.before.hits.slice(0, MOVES_MOST);
  const after = query.hits.slice(0, MOVES_MOST);
  const rows = Math.max(before.length, after.length, 1);
  const from = new Map();
  before.forEach((hit, at) => { if (!from.has(hit.location)) from.set(hit.location, at); });
  const kept = new Set(after.map((hit) => hit.location));
  const drawing = svg("svg", { class: "moves-lines", viewBox: `0 0 ${MOVE_GAP} ${rows * MOVE_ROW}`, preserveAspectRatio: "none", "aria-hidden": "true", vars: { height: `${rows * MOVE_ROW}px` } });
  const middle = (at) => at * MOVE_ROW + MOVE_ROW / 2;
  after.forEach((hit, at) => {
    const was = from.get(hit.location);
    if (was === undefined) return;
    const way = was > at ? "up" : was < at ? "down" : "still";
    const d = `M0 ${middle(was)}C${MOVE_GAP / 2} ${middle(was)} ${MOVE_GAP / 2} ${middle(at)} ${MOVE_GAP} ${middle(at)}`;
    drawing.append(svg("path", { d, class: `move move-${way}${hit.mark === "✅" ? " move-right" : ""}` }));
  });
  const side = (title, hits, now) => el("div", { class: `moves-side moves-${now ? "now" : "before"}` },
    el("h4", { title: when(title), dir: "auto" }, when(title)),
    hits.length ? el("ol", null, hits.map((hit, at) => moveRow(hit, at, now ? "" : kept.has(hit.location) ? "" : "gone", now))) : el("p", { class: "none" }, "no hits"));
  return el("div", { class: "moves" }, side(names[0], before, false), el("div", { class: "moves-middle" }, drawing), side(names[1], after, true));
}

function moveRow(hit, at, gone, now) {
  const moved = now ? hit.move : gone;
  return el("li", { class: `${gone} ${kind(hit.mark) === "none" ? "" : `is-${kind(hit.mark)}`}` },
    el("span", { class: "rank" }, at + 1), badge(hit.mark, HIT_WORDS[hit.mark], "disc-small"), place(hit.location),
    moved ? moveWord(moved) : null);
}

function moveWord(move) {
  const way = move.startsWith("↑") ? "up" : move.startsWith("↓") ? "down" : move === "new" ? "new" : move === "gone" ? "gone" : "still";
  return el("span", { class: `moved moved-${way}` }, move === "=" ? "–" : move);
}
