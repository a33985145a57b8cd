// The grades and what else can be done with a passage, and the list of keys.

const KEYS = [
  ["0 … 9", "grade the passage"], ["u", "unsure: you cannot tell"], ["s", "skip: leave it for later"], ["b", "back to the one before, to change it"],
  ["c", "comment; Enter goes on, Shift+Enter makes a new line"], ["a", "alternative: this or an earlier passage will do"],
  ["↑ ↓", "go through the lines; with Shift select a better location, Escape drops it"], ["[ ]", "more lines above, below"], ["g", "guidelines"], ["?", "this list"],
];

function gradeButtons(grades, act) {
  return el("div", { class: "grades", id: "grades", role: "group", "aria-label": "Grade", tabindex: "-1", vars: { "--grades": grades.length } }, grades.map(({ grade, name }) =>
    button("", { class: "grade-button", "data-grade": grade, "aria-keyshortcuts": grade < 10 ? String(grade) : null, title: name, on: { click: () => act(grade) } },
      el("span", { class: "unseen" }, "Grade "), el("span", { class: "grade-number" }, grade), name ? el("span", { class: "grade-name" }, ` ${name}`) : null)));
}

function smallAction(label, key, act, extra) {
  return button("", { class: "quiet action", "aria-keyshortcuts": key, on: { click: act }, ...extra }, label, el("kbd", { "aria-hidden": "true" }, key));
}

function helpDialog(settings) {
  const box = el("input", { type: "checkbox", id: "single-keys", checked: settings.keys, on: { change: () => settings.setKeys(box.checked) } });
  const node = el("dialog", { class: "help", "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keys"),
    el("dl", { class: "keys" }, KEYS.map(([key, what]) => el("div", null, el("dt", null, el("kbd", null, key)), el("dd", null, what)))),
    el("label", { class: "help-choice", for: "single-keys" }, box, "Single keys act. Without, use the buttons."),
    el("p", { class: "note" }, "To select a better location, drag over line numbers, or tap the first and the last. Every judgment is written to the log beside the suite at once. You see neither systems nor ranks nor scores."),
    button("Close", { class: "quiet", on: { click: () => node.close() } }));
  return node;
}

// Guidelines are Markdown: headings, lists and tables are laid out, all else is text.
function guidelineNodes(lines) {
  const nodes = [];
  let rows = null;
  let items = null;
  let tables = 0;
  for (const line of lines) {
    const cells = /^\s*\|(.*)\|\s*$/.exec(line);
    const item = /^\s*[-*+]\s+(.*)$/.exec(line);
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (!cells) rows = null;
    if (!item) items = null;
    if (cells) {
      if (/^[\s|:-]+$/.test(line)) continue;
      const first = rows === null;
      if (first) {
        rows = el("tbody");
        tables += 1;
        nodes.push(el("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": `Table ${tables}` }, el("table", null, rows)));
      }
      rows.append(el("tr", null, cells[1].split("|").map((text) => el(first ? "th" : "td", first ? { scope: "col" } : null, inline(text.trim())))));
    } else if (item) {
      if (items === null) nodes.push(items = el("ul"));
      items.append(el("li", null, inline(item[1])));
    } else if (heading) nodes.push(el("h3", null, inline(heading[2])));
    else if (line.trim()) {
      const before = nodes[nodes.length - 1];
      if (before && before.tagName === "P" && before.open) before.append(" ", ...inline(line.trim()));
      else nodes.push(Object.assign(el("p", null, inline(line.trim())), { open: true }));
    } else if (nodes.length) nodes[nodes.length - 1].open = false;
  }
  return nodes;
}

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/).map((part) => {
    if (part.startsWith("`") && part.length > 2) return el("code", null, part.slice(1, -1));
    if (part.startsWith("**") && part.length > 4) return el("strong", null, part.slice(2, -2));
    if (part.startsWith("*") && part.endsWith("*") && part.length > 2) return el("em", null, part.slice(1, -1));
    return part.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  });
}
