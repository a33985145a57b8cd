// Every query in a table of which only the rows in sight exist.

const SPARE = 8;
const ORDER = { "❌": 0, "⚠️": 1, "✅": 2 };

function columnsOf(page) {
  const differs = page.queries.some((query) => query.before);
  const collator = new Intl.Collator(undefined, { numeric: true });
  const words = (take) => (one, other) => collator.compare(take(one), take(other));
  const numbers = (take) => (one, other) => take(one) - take(other);
  const columns = [
    { id: "mark", name: "Result", wide: "124px", by: numbers((query) => ORDER[query.mark] ?? 3), cell: (query) => [badge(query.mark, null, "disc-small"), el("span", { class: `word-${kind(query.mark)}` }, endedWord(query.ended))] },
    { id: "query", name: "Query", wide: "minmax(200px, 1fr)", by: words((query) => query.query), cell: (query, room) => [el("span", { class: "cell-query", dir: "auto", title: query.query }, shortened(query.query, room) || "(an empty query)"), el("span", { class: "cell-under", dir: "auto" }, query.category || query.case)] },
  ];
  if (page.queries.some((query) => query.category)) columns.push({ id: "category", name: "Category", wide: "minmax(90px, 150px)", by: words((query) => query.category), cell: (query) => el("span", { class: "cell-category", dir: "auto" }, query.category) });
  page.metrics.forEach((metric, at) => columns.push({ id: `m${at}`, name: metric.name, wide: `minmax(84px, ${Math.max(104, Math.round(40 + 7.5 * metric.name.length))}px)`, number: true, first: at === 0, value: (query) => query.values[at], cell: (query) => query.shown[at] }));
  if (page.queries.some((query) => query.ms !== null)) columns.push({ id: "ms", name: "ms", wide: "72px", number: true, value: (query) => query.ms, cell: (query) => milliseconds(query.ms) });
  if (differs && page.metrics.length) columns.push({ id: "difference", name: "Difference", wide: "116px", number: true, title: `${page.metrics[0].name}, against ${page.report.comparison ? page.report.comparison.before : "the baseline"}`, value: (query) => change(query, 0), cell: (query) => differenceCell(page, query) });
  for (const column of columns) if (!column.by) column.by = nullsLast(column.value);
  return columns;
}

function change(query, at) {
  const [now, then] = [query.values[at], query.before ? query.before.values[at] : null];
  return now === null || now === undefined || then === null || then === undefined ? null : now - then;
}

function nullsLast(take) {
  return (one, other, way) => {
    const [left, right] = [take(one), take(other)];
    if (left === null || left === undefined) return right === null || right === undefined ? 0 : way;
    if (right === null || right === undefined) return -way;
    return left - right;
  };
}

function differenceCell(page, query) {
  if (!query.before) return el("span", { class: "muted" }, "not asked");
  const way = wayOf(page, query, 0);
  return el("span", { class: `way-${way}` }, way === "same" ? "unchanged" : differenceText(query, 0) || `${query.before.shown[0]} → ${query.shown[0]}`);
}

function milliseconds(time) {
  if (time === null) return "";
  return time > 0 && time < 0.005 ? "<0.01" : time.toFixed(time < 1 ? 2 : time < 10 ? 1 : 0);
}

// What a slice of cases without a category is called.
const WITHOUT = "(none)";

function counted(number) {
  return number === 1 ? "1 query" : `${number.toLocaleString("en")} queries`;
}

// How a query ended: of these, one holds for each query, so that their numbers add up to all.
const ENDS = [
  ["failed", "Failed", (query) => query.ended === "failed"],
  ["errors", "Errors", (query) => ["error", "timeout", "missing"].includes(query.ended)],
  ["short", "Weak", (query) => query.ended === "short"],
  ["known", "Known misses", (query) => query.ended === "known"],
  ["passed", "Passed", (query) => query.ended === "passed"],
];

// What became of it since the baseline.
function changeChips(page) {
  if (!page.queries.some((query) => query.before)) return [];
  const absent = new Set();
  for (const row of page.report.verdicts) for (const one of row.lost) absent.add(one.query);
  const way = (query) => (page.metrics.length ? wayOf(page, query, 0) : "same");
  return [
    ["lost", "Lost", (query) => absent.has(query.case) || query.lost],
    ["worse", "Worse", (query) => way(query) === "worse"],
    ["better", "Better", (query) => way(query) === "better"],
    ["moved", "Changed", (query) => page.metrics.some((_, at) => wayOf(page, query, at) !== "same")],
  ];
}

function queryTable(page, pick) {
  const table = new QueryTable(page, columnsOf(page), [...ENDS, ...changeChips(page)], pick);
  const node = section("queries", "Queries", page.report.left_out?.words, page.queries.length ? [table.controls(), table.grid] : empty("No queries", "The suite has no cases yet."));
  return { node, table };
}

class QueryTable {
  constructor(page, columns, chips, pick) {
    Object.assign(this, { page, columns, pick });
    this.chips = chips.map(([id, name, test]) => ({ id, name, test, count: page.queries.filter(test).length })).filter((chip) => chip.count);
    this.categories = [...new Set(page.queries.map((query) => query.category).filter(Boolean))];
    this.rows = page.queries;
    this.active = -1;
    this.live = new Map();
    this.body = el("div", { class: "grid-body", role: "rowgroup" });
    this.head = el("div", { class: "grid-row grid-head", role: "row", "aria-rowindex": "1" }, columns.map((column, at) => this.header(column, at)));
    this.none = el("div", { class: "grid-none", hidden: true }, "No query matches.");
    this.grid = el("div", { class: "grid", id: "grid", role: "grid", tabindex: "0", "aria-label": "Queries", "aria-colcount": columns.length, vars: { "--columns": columns.map((column) => column.wide).join(" ") } },
      el("div", { role: "rowgroup", class: "grid-top" }, this.head), this.body);
    this.grid.addEventListener("scroll", () => this.later(), { passive: true });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest(".grid-row");
      if (row) this.choose(Number(row.dataset.at));
    });
    new ResizeObserver(() => this.later()).observe(this.grid);
    this.narrow = matchMedia("(max-width: 720px)");
    this.narrow.addEventListener("change", () => this.refresh());
  }

  get tall() {
    return this.narrow.matches ? 68 : 48;
  }

  header(column, at) {
    return el("div", { role: "columnheader", class: `cell cell-${column.id}${column.number ? " number" : ""}${column.first ? " cell-first" : ""}`, "aria-colindex": at + 1, title: column.title },
      button("", { on: { click: () => this.sort(column.id) } }, column.name, el("span", { class: "sort-mark", "aria-hidden": "true" })));
  }

  controls() {
    this.box = el("input", { type: "search", id: "filter", role: "combobox", "aria-controls": "grid", "aria-expanded": "true", "aria-autocomplete": "list", "aria-haspopup": "grid", placeholder: "Filter by query, id, category or path", "aria-label": "Filter queries", autocomplete: "off", spellcheck: "false", on: { input: () => this.change({ f: this.box.value }), keydown: (event) => this.key(event) } });
    this.count = el("span", { class: "count", role: "status" });
    const chip = ({ id, name, count }) => button("", { "data-chip": id, "aria-pressed": "false", on: { click: () => this.change({ c: address.get("c") === id ? "" : id }) } }, name, el("span", { class: "chip-count" }, count.toLocaleString("en")));
    const ends = this.chips.filter((one) => ENDS.some(([id]) => id === one.id));
    const changes = this.chips.filter((one) => !ends.includes(one));
    this.chipList = el("div", { class: "chip-groups" },
      el("div", { class: "chips", role: "group", "aria-label": "Result" }, chip({ id: "", name: this.page.report.left_out?.queries ? "Listed" : "All", count: this.page.queries.length }), ends.map(chip)),
      changes.length ? el("div", { class: "chips", role: "group", "aria-label": "Since the baseline" }, changes.map(chip)) : null);
    const pickCategory = (name) => this.change({ cat: address.get("cat") === name ? "" : name });
    this.categoryList = this.categories.length < 2 ? null : this.categories.length <= 6
      ? el("div", { class: "chips", role: "group", "aria-label": "Category" }, this.categories.map((name) => button("", { "data-category": name, dir: "auto", "aria-pressed": "false", on: { click: () => pickCategory(name) } }, name)))
      : el("select", { "aria-label": "Category", on: { change: (event) => this.change({ cat: event.target.value }) } }, el("option", { value: "" }, "All categories"), this.categories.map((name) => el("option", { value: name }, name)));
    return el("div", { class: "controls" },
      el("div", { class: "search" }, icon("find"), this.box, el("kbd", { "aria-hidden": "true" }, "/")), this.categoryList, this.count, this.chipList, this.none);
  }

  change(values) {
    address.set(values);
    this.refresh();
  }

  sort(id) {
    const [now, way] = this.sorting();
    this.change({ s: now === id ? (way === 1 ? `${id}:down` : "") : id });
  }

  sorting() {
    const [id, way] = (address.get("s") || "mark").split(":");
    return [id, way === "down" ? -1 : 1];
  }

  haystack(at) {
    this.hay ||= [];
    if (this.hay[at]) return this.hay[at];
    const query = this.page.queries[at];
    const own = [query.query, query.case, query.category, query.where, ...query.tags];
    if (!query.hits) return own.join("\n").toLowerCase();
    this.hay[at] = [...own, ...query.targets.map((target) => target.location), ...query.hits.map((hit) => hit.location)].join("\n").toLowerCase();
    return this.hay[at];
  }

  refresh() {
    if (!this.box) return;
    const text = address.get("f");
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const chip = this.chips.find((one) => one.id === address.get("c"));
    const category = address.get("cat");
    if (this.box.value !== text) this.box.value = text;
    const [id, way] = this.sorting();
    const column = this.columns.find((one) => one.id === id) || this.columns[0];
    const chosen = this.rows[this.active];
    this.rows = this.page.queries.filter((query, at) =>
      (!chip || chip.test(query)) && (!category || query.category === category || (category === WITHOUT && !query.category)) && words.every((word) => this.haystack(at).includes(word)));
    this.rows.sort((one, other) => way * column.by(one, other, way));
    this.active = chosen ? this.rows.indexOf(chosen) : -1;
    this.label(column, way, chip, category);
    this.grid.scrollTop = 0;
    this.draw(true);
  }

  label(column, way, chip, category) {
    this.columns.forEach((one, at) => {
      this.head.children[at].setAttribute("aria-sort", one === column ? (way === 1 ? "ascending" : "descending") : "none");
    });
    for (const node of this.chipList.querySelectorAll("button")) node.setAttribute("aria-pressed", String(node.dataset.chip === (chip ? chip.id : "")));
    if (this.categoryList && this.categoryList.tagName === "SELECT") this.categoryList.value = category;
    else if (this.categoryList) for (const node of this.categoryList.children) node.setAttribute("aria-pressed", String(node.dataset.category === category));
    this.grid.setAttribute("aria-rowcount", this.rows.length + 1);
    this.count.textContent = this.rows.length === this.page.queries.length ? counted(this.rows.length) : `${this.rows.length.toLocaleString("en")} of ${this.page.queries.length.toLocaleString("en")}`;
    this.none.hidden = this.rows.length > 0;
  }

  later() {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.draw(false);
    });
  }

  // How many letters two lines of the query's column hold, with room to spare for words that do not break.
  get letters() {
    return Math.max(24, 2 * Math.floor((this.head.children[1].clientWidth - 16) / 8.2) - 6);
  }

  draw(changed) {
    const { tall, rows, letters } = this;
    const anew = changed || letters !== this.drawnFor;
    this.drawnFor = letters;
    this.grid.classList.toggle("grid-empty", !rows.length);
    this.body.style.height = `${rows.length * tall}px`;
    const top = Math.max(0, Math.floor(this.grid.scrollTop / tall) - SPARE);
    const end = Math.min(rows.length, Math.ceil((this.grid.scrollTop + this.grid.clientHeight) / tall) + SPARE);
    for (const [at, node] of this.live) {
      if (anew || at < top || at >= end) {
        node.remove();
        this.live.delete(at);
      }
    }
    for (let at = top; at < end; at += 1) {
      if (!this.live.has(at)) this.live.set(at, this.row(at, tall));
      const node = this.live.get(at);
      this.body.append(node);
    }
    this.point();
  }

  row(at, tall) {
    const query = this.rows[at];
    return el("div", { class: "grid-row", role: "row", id: `row-${at}`, "aria-rowindex": at + 2, "data-at": at, "data-case": query.case, vars: { transform: `translateY(${at * tall}px)` } },
      this.columns.map((column, number) => el("div", { role: "gridcell", "aria-colindex": number + 1, class: `cell cell-${column.id}${column.number ? " number" : ""}${column.first ? " cell-first" : ""}` }, column.cell(query, this.drawnFor))));
  }

  point() {
    const open = address.get("q");
    for (const [at, node] of this.live) {
      node.classList.toggle("active", at === this.active);
      node.setAttribute("aria-selected", String(this.rows[at].case === open));
    }
    for (const node of [this.grid, this.box].filter(Boolean)) {
      if (this.live.has(this.active)) node.setAttribute("aria-activedescendant", `row-${this.active}`);
      else node.removeAttribute("aria-activedescendant");
    }
  }

  choose(at) {
    this.active = at;
    this.pick(this.rows[at]);
    this.point();
  }

  go(at) {
    this.active = Math.max(0, Math.min(this.rows.length - 1, at));
    const top = this.active * this.tall;
    const room = this.grid.clientHeight - this.head.offsetHeight;
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top + this.tall > this.grid.scrollTop + room) this.grid.scrollTop = top + this.tall - room;
    this.draw(false);
  }

  // Keys of the table; from the filter, arrows and Enter lead into it.
  key(event) {
    const box = event.target === this.box;
    if (box && !["ArrowDown", "ArrowUp", "Enter", "PageDown", "PageUp"].includes(event.key)) return;
    if ((event.target !== this.grid && !box) || !this.rows.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const leap = Math.max(1, Math.floor(this.grid.clientHeight / this.tall) - 2);
    const steps = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + leap, PageUp: this.active - leap, Home: 0, End: this.rows.length - 1 };
    if (event.key in steps) this.go(steps[event.key]);
    else if (event.key === "Enter" && (this.active >= 0 || box)) this.choose(Math.max(0, this.active));
    else return;
    event.preventDefault();
  }

  beside(query, step) {
    const at = this.rows.indexOf(query);
    return at < 0 ? undefined : this.rows[at + step];
  }

  // The panel shows another query: the table follows.
  follow(query) {
    const at = this.rows.indexOf(query);
    if (at >= 0) this.go(at);
    else this.point();
  }
}
