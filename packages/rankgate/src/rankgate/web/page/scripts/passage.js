// One passage in its context: numbered lines of which any may be selected by mouse, touch or keys.

const MORE = 40;

// Lines are an option each, so that a screen reader reads them one by one and keys select them.
class PassageView {
  constructor(passage, onSelect) {
    this.passage = passage;
    this.onSelect = onSelect;
    this.chosen = null;
    this.anchor = null;
    this.active = passage.start;
    this.rows = new Map();
    const at = passage.lines ? `lines ${passage.start} to ${passage.end} are to be judged` : "all of it is to be judged";
    this.list = el("div", {
      class: `lines ${passage.markdown ? "prose" : "code"}`, id: "lines", role: "listbox", tabindex: "0",
      "aria-multiselectable": "true", "aria-label": `${passage.location}: ${at}`,
      on: { keydown: (event) => this.key(event), pointerdown: (event) => this.press(event) },
    });
    this.above = this.more("above");
    this.below = this.more("below");
    this.node = el("div", { class: "passage" }, this.above, this.list, this.below);
    this.add(passage.shown, false);
    this.activate(this.active);
  }

  get first() { return Math.min(...this.rows.keys()); }
  get last() { return Math.max(...this.rows.keys()); }

  more(way) {
    return el("div", { class: `more more-${way}`, hidden: true },
      button("", { class: "quiet", on: { click: () => this.grow(way, MORE) } }, icon(way === "above" ? "up" : "down"), `More ${way}`),
      button("", { class: "quiet", on: { click: () => this.grow(way, Infinity) } }, way === "above" ? "From the beginning" : "To the end"));
  }

  add(lines, before) {
    const made = lines.filter(({ n }) => !this.rows.has(n)).map((line) => this.row(line));
    if (before) this.list.prepend(...made);
    else this.list.append(...made);
    if (!this.rows.size) return;
    this.count(this.above, this.first - this.passage.first);
    this.count(this.below, this.passage.last - this.last);
  }

  count(node, left) {
    node.hidden = left <= 0;
    const what = node === this.above ? "above" : "below";
    node.setAttribute("data-left", left > 0 ? `${left} ${left === 1 ? "line" : "lines"} ${what}` : "");
  }

  row(line) {
    const { start, end, lines } = this.passage;
    const marked = line.n >= start && line.n <= end;
    const spans = lineSpans(line.t);
    for (const [length, name] of unitsOf(line.t, line.c || [])) spans.take(length, name);
    if (spans.left() > 0) spans.take(spans.left(), "");
    const [parts] = spans.finish();
    const node = el("div", {
      class: `line ${marked && lines ? "line-marked" : ""} ${line.k ? `line-${line.k}` : ""}`, id: `line-${line.n}`, role: "option", "aria-selected": "false", "data-n": line.n,
      "aria-label": line.t.trim() ? null : `Line ${line.n}, empty`,
    },
    el("span", { class: "line-number", "data-line": line.n, "aria-hidden": "true" }),
    el("span", { class: "line-text", dir: "auto" }, parts.map(([part, name]) => (name ? el("span", { class: `t-${name}` }, part) : part)), line.t ? null : "\u00a0",
      line.more ? el("span", { class: "line-cut" }, ` … ${line.more} more characters`) : null));
    this.rows.set(line.n, node);
    return node;
  }

  async grow(way, step) {
    const above = way === "above";
    const { first, last, number } = this.passage;
    const height = document.documentElement.scrollHeight;
    const target = above ? Math.max(first, this.first - step) : Math.min(last, this.last + step);
    while (above ? this.first > target : this.last < target) {
      const from = above ? Math.max(target, this.first - 200) : this.last + 1;
      const to = above ? this.first - 1 : Math.min(target, this.last + 200);
      const { lines } = await getJson(`/lines?passage=${number}&from=${from}&to=${to}`);
      if (!lines.length) break;
      this.add(lines, above);
    }
    // What was in sight stays where it was.
    if (above) scrollBy(0, document.documentElement.scrollHeight - height);
    if (document.activeElement === document.body) this.list.focus({ preventScroll: true });
  }

  activate(number) {
    if (!this.rows.has(number)) return;
    const before = this.rows.get(this.active);
    if (before) before.classList.remove("line-active");
    this.active = number;
    const node = this.rows.get(number);
    node.classList.add("line-active");
    this.list.setAttribute("aria-activedescendant", node.id);
  }

  choose(from, to) {
    this.chosen = from === null ? null : [Math.min(from, to), Math.max(from, to)];
    for (const [number, node] of this.rows) {
      const inside = this.chosen !== null && number >= this.chosen[0] && number <= this.chosen[1];
      node.setAttribute("aria-selected", String(inside));
    }
    this.onSelect(this.chosen);
  }

  clear() {
    this.anchor = null;
    this.choose(null, null);
  }

  key(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };
    const to = event.key === "Home" ? this.first : event.key === "End" ? this.last : this.active + (steps[event.key] || 0);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps || event.key === "Home" || event.key === "End") {
      const target = Math.min(this.last, Math.max(this.first, to));
      if (event.shiftKey && this.passage.lines) {
        if (this.anchor === null) this.anchor = this.active;
        this.choose(this.anchor, target);
      } else if (this.chosen) this.clear();
      this.activate(target);
      this.rows.get(target).scrollIntoView({ block: "nearest" });
      event.preventDefault();
    } else if (event.key === " " && this.passage.lines) {
      // One line at first, then all up to the one that is active.
      if (this.anchor === null) this.anchor = this.active;
      this.choose(this.anchor, this.active);
      event.preventDefault();
    } else if (event.key === "Escape" && this.chosen) {
      this.clear();
      event.stopPropagation();
    }
  }

  // Numbers are what is pressed or dragged over: the text itself stays free to be copied.
  press(event) {
    const gutter = event.target.closest(".line-number");
    if (!gutter || event.button > 0 || !this.passage.lines) return;
    const number = Number(gutter.getAttribute("data-line"));
    const one = this.chosen && this.chosen[0] === this.chosen[1] && this.chosen[0] === number;
    event.preventDefault();
    this.list.focus({ preventScroll: true });
    if (one) return this.clear();
    // A finger cannot hold Shift: a second tap selects up to there, a third begins anew.
    const goesOn = this.anchor !== null && this.chosen && (event.shiftKey || (event.pointerType !== "mouse" && this.chosen[0] === this.chosen[1]));
    if (!goesOn) this.anchor = number;
    this.choose(this.anchor, number);
    this.activate(number);
    if (event.pointerType === "mouse") this.drag();
  }

  drag() {
    const over = (event) => {
      const row = document.elementFromPoint(event.clientX, event.clientY)?.closest(".line");
      if (row && this.list.contains(row)) this.choose(this.anchor, Number(row.getAttribute("data-n")));
    };
    const end = () => {
      removeEventListener("pointermove", over);
      removeEventListener("pointerup", end);
    };
    addEventListener("pointermove", over);
    addEventListener("pointerup", end);
  }

  async reveal(number) {
    if (number < this.first) await this.grow("above", this.first - number + 5);
    if (number > this.last) await this.grow("below", number - this.last + 20);
    this.activate(number);
    this.rows.get(number)?.scrollIntoView({ block: "center" });
  }
}
