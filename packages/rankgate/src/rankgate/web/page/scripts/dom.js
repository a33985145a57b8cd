"use strict";

// Everything on the page is made here. Text becomes text nodes; no markup is ever parsed.

// WebKit gives the locale of a machine that has none as the language "C", which the chart library cannot bear.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en" });
}

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "vars") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function replace(node, ...children) {
  node.replaceChildren();
  return fill(node, null, children);
}

// Paths on a grid of 16 by 16.
const SHAPES = {
  good: ["M4.5 8.4l2.4 2.4 4.6-5.2"],
  warn: ["M8 4.6v4.2", "M8 11.3v.1"],
  bad: ["M5.3 5.3l5.4 5.4", "M10.7 5.3l-5.4 5.4"],
  none: [],
  question: ["M6 6.4a2 2 0 1 1 2.9 1.8c-.7.3-.9.7-.9 1.3", "M8 11.7v.1"],
  open: ["M8 11.4a3.4 3.4 0 1 0 0-6.8 3.4 3.4 0 0 0 0 6.8z"],
  dash: ["M4.8 8h6.4"],
  plug: ["M6.3 3.4v3M9.7 3.4v3M4.9 6.4h6.2v1.5a3.1 3.1 0 0 1-6.2 0zM8 11v2"],
  stop: ["M6.1 3.8h3.8l2.3 2.3v3.8l-2.3 2.3H6.1l-2.3-2.3V6.1z", "M6.2 8h3.6"],
  burst: ["M9 3.2L5.2 8.7h2.9L7 12.8l3.9-5.6H8z"],
  close: ["M4 4l8 8", "M12 4l-8 8"],
  up: ["M8 12.5v-9", "M4 7.3l4-4 4 4"],
  down: ["M8 3.5v9", "M4 8.7l4 4 4-4"],
  next: ["M6 3.5L10.5 8 6 12.5"],
  copy: ["M5.5 5.5v-3h8v8h-3", "M2.5 5.5h8v8h-8z"],
  find: ["M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z", "M10.3 10.3l3.2 3.2"],
  light: ["M8 10.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2z", "M8 1.6v1.4M8 13v1.4M1.6 8H3M13 8h1.4M3.5 3.5l1 1M11.5 11.5l1 1M3.5 12.5l1-1M11.5 4.5l1-1"],
  print: ["M4.5 6V2.5h7V6", "M4.5 11.5h-2V6h11v5.5h-2", "M4.5 9.5h7v4h-7z"],
};

function icon(name, label) {
  const named = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return svg("svg", { class: `icon icon-${name}`, viewBox: "0 0 16 16", ...named }, SHAPES[name].map((d) => svg("path", { d })));
}

// ✅, ⚠️ and ❌ come as data; here they are drawn, so that they look the same everywhere.
const KINDS = { "✅": "good", "⚠️": "warn", "❌": "bad", "": "none" };

function kind(mark) {
  return KINDS[mark] || "none";
}

function badge(mark, label, extra) {
  const name = kind(mark);
  const disc = el("span", { class: `disc disc-${name} ${extra || ""}`, title: label }, icon(name, label));
  return disc;
}

// Words in which marks may stand.
function words(text) {
  return text.split(/(✅|⚠️|❌)/u).map((part) => (KINDS[part] && part ? badge(part, null, "disc-small disc-inline") : part));
}

function button(label, props, ...children) {
  return el("button", { type: "button", ...props }, children.length ? children : label);
}

// Path and lines tell hits apart; the heading or symbol is for people.
function titled(hit) {
  return hit.title ? `${hit.location} › ${hit.title}` : hit.location;
}

// A location keeps its file name in sight and gives up its folders first; a title may hold slashes too.
function place(text, props) {
  const title = text.indexOf(" › ");
  const cut = text.lastIndexOf("/", (title < 0 ? text.length : title) - 2) + 1;
  return el("span", { ...props, class: `place ${(props && props.class) || ""}`, title: text, dir: "ltr" },
    cut ? el("span", { class: "place-folder" }, breakable(text.slice(0, cut))) : null,
    el("span", { class: "place-name" }, breakable(text.slice(cut))));
}

// Long names may go on in the next line where one of their parts ends, and nowhere else unless a part is too long;
// the ending of a file's name stays with it.
function breakable(text) {
  return text.split(/(?<=[/_#›=]|[:,](?=\p{L})|\.(?=\p{L})(?![\p{L}\d]{1,5}(?![\p{L}\d_.]))|\p{Ll}(?=\p{Lu}))/u).flatMap((part, at) => (at ? [el("wbr"), part] : [part]));
}

function copier(text, label) {
  const { said, node } = copying(() => text, label, () => getSelection().selectAllChildren(code));
  // A line ends between two words of a command, never inside one.
  const code = el("code", null, text.split(/( +)/).map((part) => (part.trim() ? el("span", { class: "word" }, part) : part)));
  return el("div", { class: "command" }, code, said, node);
}

// A button that copies; `instead` is done where the clipboard is shut.
function copying(text, label, instead, word) {
  const said = el("span", { class: "copied", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      said.textContent = "Copied";
    } catch {
      instead();
      said.textContent = "Selected; copy it with the keyboard";
    }
    setTimeout(() => { said.textContent = ""; }, 1600);
  };
  const node = button("Copy", { class: "quiet", "aria-label": word ? `${word}: ${label}` : `Copy: ${label}`, on: { click: copy } }, icon("copy"), word || "Copy");
  return { said, node };
}

function section(id, title, about, ...children) {
  return el("section", { id, "aria-labelledby": `${id}-title` },
    el("div", { class: "section-head" }, el("h2", { id: `${id}-title` }, title), about ? el("p", { class: "about" }, about) : null),
    children);
}

function empty(text, detail) {
  return el("div", { class: "empty" }, el("strong", null, text), detail ? el("span", null, detail) : null);
}

function facts(pairs) {
  return el("dl", { class: "facts" }, Object.entries(pairs).map(([name, text]) =>
    el("div", null, el("dt", null, name), el("dd", { dir: "auto" }, breakable(text)))));
}

// A choice of a few, of which one holds.
function choice(label, options, chosen, act) {
  const group = el("div", { class: "choice", role: "group", "aria-label": label });
  options.forEach((name, at) => group.append(button(name, {
    "aria-pressed": String(at === chosen),
    on: {
      click: () => {
        [...group.children].forEach((one, number) => one.setAttribute("aria-pressed", String(number === at)));
        act(at);
      },
    },
  })));
  return options.length > 1 ? group : null;
}
