// The text of a hit: numbered lines, coloured by its tokens, with the lines marked that targets cover.

function lineSpans(text) {
  const lines = [];
  let line = [];
  let at = 0;
  const take = (length, name) => {
    const parts = text.slice(at, at + length).split("\n");
    parts.forEach((part, number) => {
      if (number) {
        lines.push(line);
        line = [];
      }
      if (part) line.push([part, name]);
    });
    at += length;
  };
  return { lines, take, finish: () => { lines.push(line); return lines; }, left: () => text.length - at };
}

// Lengths of tokens count characters as Python does; an astral one is two units here.
function unitsOf(text, tokens) {
  if (!/[\ud800-\udfff]/.test(text)) return tokens;
  const units = [];
  let at = 0;
  for (const [length, name] of tokens) {
    let end = at;
    for (let left = length; left > 0 && end < text.length; left -= 1) end += text.codePointAt(end) > 0xffff ? 2 : 1;
    units.push([end - at, name]);
    at = end;
  }
  return units;
}

function source(text, marked, label) {
  const spans = lineSpans(text.text);
  for (const [length, name] of unitsOf(text.text, text.tokens || [])) spans.take(length, name);
  if (spans.left() > 0) spans.take(spans.left(), "");
  const lines = spans.finish();
  if (lines.length > 1 && lines[lines.length - 1].length === 0) lines.pop();
  const covered = (number) => marked.some(([first, last]) => number >= first && number <= last);
  const first = text.first === null ? 1 : text.first;
  const rows = lines.map((line, at) => {
    const hit = text.first !== null && covered(first + at);
    return el("div", { class: hit ? "line line-marked" : "line" },
      text.first === null ? null : el("span", { class: "line-number", "data-line": first + at }),
      el("span", { class: "line-text", dir: "auto" }, line.map(([part, name]) => (name ? el("span", { class: `t-${name}` }, part) : part)), "\n"));
  });
  return el("div", { class: "source", tabindex: "0", role: "region", "aria-label": label },
    el("pre", null, el("code", null, rows)),
    text.cut ? el("p", { class: "cut" }, "There is more of it than is kept here.") : null);
}
