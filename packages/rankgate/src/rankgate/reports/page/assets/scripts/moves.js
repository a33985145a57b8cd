// Two rankings side by side, and a line for each hit that stands in both. Colour speaks of relevant hits alone:
// where anything else moved is nothing gained and nothing lost.

const MOVE_ROW = 36;
const MOVE_GAP = 72;
const MOVES_MOST = 20;

function relevantTarget(target) {
  return target.grade === "" || Number(target.grade) > 0;
}

// Whether what a hit of the baseline found is found nowhere now; another chunk of it may have taken its place.
function isLost(query, hit, at) {
  if (hit.mark !== "✅") return false;
  const found = query.targets.filter((target) => relevantTarget(target) && target.before === at + 1);
  return found.length ? found.some((target) => target.rank === null) : !query.hits.some((now) => now.mark === "✅");
}

function moves(query, names) {
  const before = query.before.hits.slice(0, MOVES_MOST);
  const after = query.hits.slice(0, MOVES_MOST);
  const from = new Map();
  before.forEach((hit, at) => { if (!from.has(hit.location)) from.set(hit.location, at); });
  const kept = new Set(after.map((hit) => hit.location));
  const lost = before.map((hit, at) => ({ hit, at })).filter(({ hit, at }) => !kept.has(hit.location) && isLost(query, hit, at));
  const rows = Math.max(before.length, after.length + lost.length, 1);
  const drawing = svg("svg", { class: "moves-lines", viewBox: `0 0 ${MOVE_GAP} ${rows * MOVE_ROW}`, preserveAspectRatio: "none", "aria-hidden": "true", vars: { height: `${rows * MOVE_ROW}px` } });
  const middle = (at) => at * MOVE_ROW + MOVE_ROW / 2;
  const line = (was, now, name) => drawing.append(svg("path", { d: `M0 ${middle(was)}C${MOVE_GAP / 2} ${middle(was)} ${MOVE_GAP / 2} ${middle(now)} ${MOVE_GAP} ${middle(now)}`, class: name }));
  after.forEach((hit, at) => {
    const was = from.get(hit.location);
    if (was === undefined) return;
    const way = was > at ? "up" : was < at ? "down" : "still";
    line(was, at, `move move-${way}${hit.mark === "✅" ? " move-right" : ""}`);
  });
  lost.forEach(({ at }, number) => line(at, after.length + number, "move-lost"));
  const gone = new Set(lost.map(({ at }) => at));
  const old = before.map((hit, at) => (gone.has(at) ? lostRow(hit, at, "lost") : moveRow(hit, at, kept.has(hit.location) ? "" : "gone")));
  const now = [...after.map((hit, at) => moveRow(hit, at, hit.move)), ...lost.map(({ hit, at }) => lostRow(hit, null, `was ${at + 1}`))];
  const side = (title, list, name) => el("div", { class: `moves-side moves-${name}` },
    el("h4", { title: when(title), dir: "auto" }, when(title)), list.length ? el("ol", null, list) : el("p", { class: "none" }, "no hits"));
  return el("div", { class: "moves" }, side(names[0], old, "before"), el("div", { class: "moves-middle" }, drawing), side(names[1], now, "now"));
}

function moveRow(hit, at, moved) {
  return el("li", { class: `${moved === "gone" ? "gone " : ""}is-${kind(hit.mark)}` },
    el("span", { class: "rank" }, at + 1), badge(hit.mark, HIT_WORDS[hit.mark], "disc-small"), place(titled(hit)),
    moved ? moveWord(moved, hit.mark) : null);
}

function lostRow(hit, at, word) {
  return el("li", { class: "lost" }, el("span", { class: "rank" }, at === null ? "–" : at + 1),
    badge("❌", "lost", "disc-small"), place(titled(hit)), el("span", { class: "moved moved-lost" }, word));
}

function moveWord(move, mark) {
  const way = move.startsWith("↑") ? "up" : move.startsWith("↓") ? "down" : move === "new" ? "new" : move === "gone" ? "gone" : "still";
  return el("span", { class: `moved ${mark === "✅" ? `moved-${way}` : "moved-other"}` }, move === "=" ? "–" : move);
}
