// Reads the data, builds the page, and minds the keys, the theme and the printer.

const PRINTED = 20;

async function unpack(text) {
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

async function readData() {
  const data = await unpack(document.getElementById("data").textContent.trim());
  if (data.queries) data.later = new Later(data, document.getElementById("parts").textContent.trim().split("\n").filter(Boolean));
  if (data.later && data.later.parts.length <= AT_ONCE) await data.later.all();
  return data;
}

const AT_ONCE = 4;

// Rankings, reasons and texts of queries come in parts: of a large page each is read when it is asked for, or when
// there is nothing else to do.
class Later {
  constructor(page, parts) {
    Object.assign(this, { page, parts, reading: new Map() });
    page.queries.forEach((query, at) => { query.at = at; });
  }

  part(at) {
    if (at < this.parts.length && !this.reading.has(at)) this.reading.set(at, unpack(this.parts[at]).then((part) => this.take(at, part)));
    return this.reading.get(at);
  }

  take(at, { queries, texts }) {
    queries.forEach((one, number) => {
      const query = this.page.queries[at * this.page.part + number];
      const { before, ...rest } = one;
      Object.assign(query, rest);
      if (before) Object.assign(query.before, before);
    });
    texts.forEach((text, number) => { this.page.texts[at * this.page.part_texts + number] = text; });
    this.parts[at] = "";
  }

  async query(query) {
    await this.part(Math.floor(query.at / this.page.part));
    const texts = new Set(query.hits.map((hit) => hit.text).filter((text) => text !== null).map((text) => Math.floor(text / this.page.part_texts)));
    await Promise.all([...texts].map((at) => this.part(at)));
  }

  async all() {
    for (let at = 0; at < this.parts.length; at += 1) {
      await this.part(at);
      // Between two parts the page answers.
      if (this.parts.length > AT_ONCE) await new Promise((done) => { setTimeout(done, 30); });
    }
  }
}

// Local storage may be shut; the choice then lasts as long as the page.
const remembered = {
  read() {
    try { return localStorage.getItem("rankgate-theme"); } catch { return null; }
  },
  write(theme) {
    try { localStorage.setItem("rankgate-theme", theme); } catch { /* it is not kept */ }
  },
};

const dark = matchMedia("(prefers-color-scheme: dark)");

function themeNow() {
  return document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
}

function themeButton() {
  const label = () => `Use the ${themeNow() === "dark" ? "light" : "dark"} theme`;
  const node = button("", { class: "quiet icon-only", id: "theme", "aria-label": label(), on: { click: () => {
    const next = themeNow() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remembered.write(next);
    node.setAttribute("aria-label", label());
    redraw();
  } } }, icon("light"));
  dark.addEventListener("change", () => {
    node.setAttribute("aria-label", label());
    redraw();
  });
  return node;
}

// Go to a section and read on from its title.
function reach(id) {
  document.getElementById(id).scrollIntoView({ block: "start" });
  const title = document.getElementById(`${id}-title`);
  title.setAttribute("tabindex", "-1");
  title.focus({ preventScroll: true });
}

function topBar(title, links) {
  replace(document.getElementById("bar"),
    el("span", { class: "brand" }, el("span", { class: "brand-mark", "aria-hidden": "true" }, el("i"), el("i"), el("i")), "rankgate"),
    el("span", { class: "bar-title", dir: "auto" }, title),
    links.length ? el("nav", { "aria-label": "Sections" }, links.map(([id, name]) => el("a", { href: `#${id}`, on: { click: (event) => {
      event.preventDefault();
      reach(id);
    } } }, name))) : null,
    button("", { class: "quiet icon-only", "aria-label": "Print", on: { click: () => print() } }, icon("print")), themeButton());
}

// The page makes room for the panel: what was looked at stays where it was.
function holdStill() {
  const near = document.elementFromPoint(innerWidth / 4, innerHeight / 2);
  const looked = document.activeElement.closest("#main .grid, #main figure, #main .card") || (near && near.closest("#main .grid, #main .card, #main section"));
  if (!looked) return () => {};
  const { top } = looked.getBoundingClientRect();
  return () => scrollBy({ top: looked.getBoundingClientRect().top - top, behavior: "instant" });
}

class Panel {
  constructor(page) {
    this.page = page;
    this.node = document.getElementById("panel");
    this.byCase = new Map(page.queries.map((query) => [query.case, query]));
  }

  open(query, step) {
    if (address.get("q") !== query.case) address.set({ q: query.case }, step);
    return this.show(query);
  }

  async show(query) {
    this.query = query;
    if (!query.hits) await this.page.later.query(query);
    if (this.query !== query) return;
    const bar = el("div", { class: "panel-bar" },
      this.walk("up", "Previous query", -1), this.walk("down", "Next query", 1),
      el("span", { class: "panel-hint", "aria-hidden": "true" }, el("kbd", null, "Esc"), " closes"),
      button("", { class: "quiet icon-only", id: "close", "aria-label": "Close", on: { click: () => this.close() } }, icon("close")));
    const first = this.node.hidden;
    const still = first ? holdStill() : null;
    replace(this.node, bar, el("div", { class: "panel-body" }, detailHead(query, "h2"), detail(this.page, query, {})));
    this.node.hidden = false;
    this.node.scrollTop = 0;
    document.body.classList.add("with-panel");
    this.guard();
    if (still) still();
    this.table.follow(query);
    if (first || this.node.contains(document.activeElement)) this.node.querySelector("h2").focus({ preventScroll: true });
  }

  walk(name, label, step) {
    const next = this.table.beside(this.query, step);
    return button("", { class: "quiet icon-only", "aria-label": label, disabled: !next, on: { click: () => {
      this.open(next).then(() => this.node.querySelector(`[aria-label="${label}"]`).focus());
    } } }, icon(name));
  }

  // On a narrow screen the panel is all there is.
  guard() {
    const whole = !this.node.hidden && matchMedia("(max-width: 1100px)").matches;
    document.querySelectorAll("#main, #bar, .skip").forEach((one) => { one.inert = whole; });
  }

  close() {
    if (this.node.hidden) return;
    this.hide();
    address.set({ q: "" }, true);
    this.table.point();
    this.table.grid.focus({ preventScroll: true });
  }

  hide() {
    const still = holdStill();
    this.node.hidden = true;
    document.body.classList.remove("with-panel");
    this.guard();
    still();
  }

  follow() {
    const query = this.byCase.get(address.get("q"));
    if (query) return this.show(query);
    this.query = null;
    if (!this.node.hidden) this.hide();
    return null;
  }
}

function buildReport(page) {
  const panel = new Panel(page);
  const pick = (query) => panel.open(query, true);
  const { node: queries, table } = queryTable(page, pick);
  panel.table = table;
  const byCategory = (name) => {
    table.change({ cat: name, c: "", f: "" });
    reach("queries");
  };
  const parts = [hero(page.report), broken(page, pick), verdicts(page), advice(page, pick), comparison(page, pick), slices(page, byCategory),
    queries, el("div", { id: "printed" }), past(page), metrics(page.report), knownMisses(page.report, page, pick),
    probes(page.report), notes(page), provenance(page)].flat(Infinity).filter(Boolean);
  document.title = `${page.report.title} · ${stateName(page.report)} · rankgate`;
  const links = [["broken", "Broken"], ["gates", "Gates"], ["advice", "Advice"], ["comparison", "Comparison"], ["slices", "Categories"], ["queries", "Queries"], ["past", "History"], ["provenance", "Run details"]];
  replace(document.getElementById("main"), parts);
  topBar(page.report.title, links.filter(([id]) => document.getElementById(id)));
  table.refresh();
  address.watch(() => { table.refresh(); panel.follow(); });
  const shown = panel.follow();
  if (panel.query) queries.scrollIntoView({ block: "start", behavior: "instant" });
  matchMedia("(max-width: 1100px)").addEventListener("change", () => panel.guard());
  following(table);
  keys(panel, table);
  printing(page);
  return shown;
}

// Links that choose queries lead to them; what was chosen before does not stay in the way.
function following(table) {
  document.getElementById("main").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-to]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const values = new URLSearchParams(link.getAttribute("href").slice(1));
    const chosen = Object.fromEntries(["c", "f", "cat", "s"].map((name) => [name, values.get(name) || ""]));
    address.set(chosen, true);
    table.refresh();
    reach(link.dataset.to);
  });
}

// The second link of the page and a slash lead to the filter of the queries, where there is one.
function toFilter(find, before) {
  const go = (event) => {
    const box = find();
    event.preventDefault();
    if (!box) return;
    if (before) before();
    document.getElementById("queries").scrollIntoView({ block: "start" });
    box.focus({ preventScroll: true });
    box.select();
  };
  document.querySelector(".skip-queries").addEventListener("click", go);
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.matches("input, select, textarea") && !event.ctrlKey && !event.metaKey && !event.altKey) go(event);
  });
}

function keys(panel, table) {
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || (event.target.matches("input, select, textarea") && table.box.value)) return;
    panel.close();
  });
  toFilter(() => table.box, () => { if (document.getElementById("main").inert) panel.close(); });
}

// On paper nothing can be opened: the first queries that failed are printed whole.
function printing(page) {
  const failing = () => page.queries.filter((query) => query.hits && query.mark !== "✅").sort((one, other) => ORDER[one.mark] - ORDER[other.mark]);
  const printed = document.getElementById("printed");
  const before = () => {
    const failed = printed.childElementCount ? [] : failing();
    if (failed.length) {
      const first = failed.slice(0, PRINTED);
      replace(printed, section("failed", "Queries that failed or are weak", first.length < failed.length ? `The first ${first.length} of ${failed.length}; the page on screen has all.` : "",
        first.map((query) => el("article", null, el("div", { class: "lead" }, detailHead(query, "h3"), why(query), scoresOf(page, query), targetsOf(query)), el("div", { class: "detail" }, detailRest(page, query, { hits: 10, open: 2 }))))));
    }
    drawPending();
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
    redraw(660);
  };
  const after = () => {
    printed.replaceChildren();
    redraw();
  };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? before() : after()));
}

function sorry(text) {
  document.documentElement.dataset.ready = "";
  replace(document.getElementById("main"), el("p", { class: "waiting" }, text));
}

async function start() {
  const theme = remembered.read();
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  if (typeof DecompressionStream === "undefined") return sorry("This browser is too old to read the report: it cannot decompress data. Any browser of 2023 or later can.");
  let data;
  try {
    data = await readData();
  } catch {
    return sorry("The data of this report is damaged. Make the report again.");
  }
  if (data.kind === "comparison") buildCompared(data);
  else await buildReport(data);
  document.documentElement.dataset.ready = "";
  performance.mark("rankgate-ready");
  if (data.later) data.later.all().then(loaded, () => {});
}

// Filters look at rankings as well, once these are there.
function loaded() {
  if (address.get("f")) address.watchers.forEach((act) => act());
  performance.mark("rankgate-loaded");
}

start();
