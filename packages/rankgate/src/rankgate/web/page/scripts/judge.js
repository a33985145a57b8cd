// The session on the page: what is shown, what the keys do, and what is announced.

const $ = (id) => document.getElementById(id);

class Judging {
  constructor(state) {
    this.state = state;
    this.current = state.current;
    this.next = state.next;
    // While an earlier passage is changed: what is returned to.
    this.resumed = null;
    this.last = null;
    this.view = null;
    this.keys = localStorageGet("rankgate-keys") !== "off";
    this.writer = new Writer((answer, troubled) => this.written(answer, troubled), (text, final) => this.trouble(text, final));
    this.help = helpDialog({ keys: this.keys, setKeys: (on) => this.setKeys(on) });
    document.body.append(this.help);
    this.layBar();
    this.layMain();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  layBar() {
    const { title, judge } = this.state;
    this.progress = el("div", { class: "progress", role: "group", "aria-label": "Progress" });
    replace($("bar"),
      el("span", { class: "brand" }, el("span", { class: "brand-mark", "aria-hidden": "true" }, el("i"), el("i"), el("i")), "rankgate"),
      el("span", { class: "bar-title" }, `${title ? `${title}, ` : ""}judged by ${judge}`), this.progress,
      button("", { class: "quiet icon-only", "aria-label": "Keys and help", on: { click: () => this.help.showModal() } }, icon("question")));
    this.showProgress(this.state.progress);
  }

  layMain() {
    this.top = el("section", { class: "query", "aria-label": "Query" });
    this.card = el("section", { class: "card card-flush passage-card", "aria-label": "Passage" });
    this.side = el("aside", { class: "side", "aria-label": "Guidelines and outline" });
    this.bottom = el("section", { class: "actions", "aria-label": "Judgment" });
    this.guidelines = this.state.guidelines.length
      ? el("details", { class: "card fold guidelines", open: innerWidth > 1100 }, el("summary", null, el("h2", null, "Guidelines")), el("div", { class: "fold-body" }, guidelineNodes(this.state.guidelines)))
      : null;
    this.lastCard = el("div", { class: "last" });
    this.contents = el("div");
    replace(this.side, this.lastCard, this.contents, this.guidelines);
    replace($("main"), el("div", { class: "judge-grid" }, el("div", { class: "judge-main" }, this.top, this.card), this.side), this.bottom);
    this.layActions();
    this.show(this.current, "");
  }

  layActions() {
    this.comment = el("textarea", { id: "comment", rows: 2, maxlength: 10000, placeholder: "Why?", "aria-label": "Comment", on: { keydown: (event) => this.commentKey(event) } });
    this.commentBox = el("div", { class: "comment", hidden: true }, this.comment);
    this.chosen = el("div", { class: "chosen", hidden: true });
    this.strip = el("div", { class: "strip" });
    this.choices = el("select", { id: "alternative", "aria-label": "Alternative to", on: { keydown: (event) => this.selectKey(event) } });
    this.choiceBox = el("div", { class: "alternative", hidden: true }, el("label", { for: "alternative" }, "Any one will do: this or"), this.choices);
    this.grades = gradeButtons(this.state.grades, (grade) => this.judge("grade", grade));
    this.small = el("div", { class: "small-actions", role: "group", "aria-label": "Other" },
      smallAction("Unsure", "u", () => this.judge("unsure", null)), smallAction("Skip", "s", () => this.judge("skip", null)),
      smallAction("Back", "b", () => this.back()), smallAction("Comment", "c", () => this.openComment()));
    replace(this.bottom, el("div", { class: "actions-inside" }, this.strip, this.chosen, this.commentBox, this.grades, el("div", { class: "more-actions" }, this.small, this.choiceBox)));
  }

  show(passage, said) {
    this.showing = passage;
    this.bottom.hidden = passage === null;
    if (passage === null) return this.showEnd(said);
    const earlier = this.resumed !== null;
    replace(this.top,
      earlier ? el("p", { class: "earlier" }, el("strong", null, "An earlier judgment: "), wordsOf(passage.label), button("Return", { class: "quiet", on: { click: () => this.resume() } })) : null,
      el("p", { class: "query-label", "aria-hidden": "true" }, "Query"),
      el("h1", { id: "query", tabindex: "-1", dir: "auto" }, passage.query));
    this.view = new PassageView(passage, (lines) => this.showChosen(lines));
    replace(this.card,
      el("div", { class: "passage-head" }, place(passage.location), passage.outline.length ? el("p", { class: "crumbs", dir: "auto" }, passage.outline.join(" › ")) : null),
      this.view.node);
    this.showContents(passage);
    this.showChosen(null);
    this.comment.value = passage.label ? passage.label.comment : "";
    this.commentBox.hidden = !this.comment.value;
    this.showAlternatives(passage.alternatives);
    for (const node of this.grades.children) node.setAttribute("aria-pressed", String(Boolean(passage.label) && passage.label.said === "grade" && Number(node.dataset.grade) === passage.label.grade));
    this.landed(passage, said);
  }

  landed(passage, said) {
    scrollTo({ top: 0, behavior: "instant" });
    this.view.list.focus({ preventScroll: true });
    this.bringIntoSight();
    $("said").textContent = `${said ? `${said} ` : ""}Query: ${passage.query}. ${passage.location}.`;
    document.documentElement.setAttribute("data-passage", passage.number);
  }

  // A long query or much context must not push the passage below the edge; the query stays in sight above it.
  bringIntoSight() {
    const row = this.view.rows.get(this.showing.start);
    const over = row ? row.getBoundingClientRect().top - (innerHeight - this.bottom.offsetHeight) * 0.6 : 0;
    if (over > 0) scrollTo({ top: over, behavior: "instant" });
      }

  showEnd(said) {
    const { progress } = this.state;
    const again = progress.skipped ? button("", { class: "quiet", on: { click: () => this.again() } }, `Look at the ${progress.skipped} skipped again`) : null;
    replace(this.top);
    replace(this.contents);
    this.view = null;
    const open = progress.pool - progress.judged - progress.skipped;
    const rest = open > 0 ? `${progress.words}. ${open} passages of the pool are not judged.` : "Every passage of the pool has been seen.";
    const title = el("h1", { tabindex: "-1" }, open > 0 ? "Nothing more is needed" : "All judged");
    replace(this.card, el("div", { class: "end" }, icon("good"), title, el("p", null, `${progress.judged} judged, ${progress.skipped} skipped. ${rest}`),
      el("div", { class: "end-actions" }, progress.judged + progress.skipped ? button("", { class: "quiet", on: { click: () => this.back() } }, "Back to the last one") : null, again)));
    title.focus({ preventScroll: true });
    document.documentElement.setAttribute("data-passage", "end");
    $("said").textContent = `${said ? `${said} ` : ""}${title.textContent}.`;
  }

  showContents(passage) {
    replace(this.contents);
    if (passage.contents.length < 2) return;
    const inside = ({ start, end }) => start <= passage.start && end >= passage.start;
    const here = passage.contents.filter(inside).pop();
    const top = Math.min(...passage.contents.map(({ level }) => level));
    this.contents.append(el("details", { class: "card fold contents", open: innerWidth > 1100 }, el("summary", null, el("h2", null, "In this file")),
      el("ol", { class: "fold-body" }, passage.contents.map((one) => el("li", { vars: { "--deep": one.level - top } },
        button("", { class: `link ${inside(one) ? "strong" : ""}`, dir: "auto", "aria-current": one === here ? "location" : null, on: { click: () => this.view.reveal(one.start) } }, one.title))))));
  }

  showAlternatives(found) {
    this.choiceBox.hidden = found.length === 0;
    replace(this.choices, el("option", { value: "" }, "nothing: it stands alone"), found.map((one) => el("option", { value: one.location }, `${one.shown} (grade ${one.grade})`)));
  }

  showChosen(lines) {
    this.chosen.hidden = lines === null;
    if (lines === null) return replace(this.chosen);
    const words = lines[0] === lines[1] ? `Line ${lines[0]} is` : `Lines ${lines[0]} to ${lines[1]} are`;
    replace(this.chosen, el("span", { role: "status" }, `${words} the better location; grade it`), button("", { class: "quiet icon-only", "aria-label": "Drop the better location", on: { click: () => this.view.clear() } }, icon("close")));
  }

  showProgress(progress) {
    this.state.progress = progress;
    const { judged, remaining, words, pace, left } = progress;
    const whole = judged + (remaining ?? progress.pool - judged);
    const share = whole ? judged / whole : 1;
    replace(this.progress,
      el("div", { class: "meter", "aria-hidden": "true" }, el("i", { vars: { "--share": `${(100 * share).toFixed(1)}%` } })),
      el("span", { class: "progress-words" }, el("b", null, `${judged} judged`), `, ${words}`, el("span", { class: "progress-more" }, [pace, left].filter(Boolean).map((text) => ` · ${text}`).join(""))));
  }

  showLast() {
    replace(this.lastCard);
    replace(this.strip);
    if (!this.last || this.last.said !== "grade" || !this.last.related.length) return;
    const { query, location, grade, related } = this.last;
    const off = related.some(({ mismatch }) => mismatch);
    // Where the card would stand below the passage, a line above the grades says the same.
    if (off) fill(this.strip, null, [el("span", null, el("strong", null, "Not graded alike: "), `${grade}, and ${related[0].grade} for “${related[0].query}”`), button("Change it", { class: "quiet", on: { click: () => this.back() } })]);
    this.lastCard.append(el("section", { class: `card related ${off ? "related-off" : ""}`, "aria-labelledby": "related-title" },
      el("h2", { id: "related-title" }, off ? "Not graded alike" : "The same location before"),
      el("p", { class: "note" }, "You gave ", el("b", null, grade), " to ", place(location), " for “", el("span", { dir: "auto" }, query), "”. Before:"),
      el("ul", null, related.map((one) => el("li", { class: one.mismatch ? "off" : "" }, el("b", { class: "grade" }, one.grade), el("span", { dir: "auto" }, one.query), one.sister ? el("span", { class: "tag" }, "same group") : null))),
      button("", { class: "quiet", on: { click: () => this.back() } }, "Change it ", el("kbd", { "aria-hidden": "true" }, "b"))));
  }

  judge(said, grade) {
    this.turn(() => this.writer.after(() => this.send(said, grade)));
  }

  // What is pressed while another passage is fetched is for that passage, and waits for it.
  async turn(act) {
    if (this.turning) {
      this.waiting ??= act;
      return;
    }
    this.turning = true;
    try {
      await act();
    } catch (error) {
      replace($("alert"), el("div", { class: "trouble" }, icon("warn"), el("div", null, `The passage cannot be shown: ${error.message}`)));
    }
    this.turning = false;
    const { waiting } = this;
    this.waiting = null;
    if (waiting) this.turn(waiting);
  }

  send(said, grade) {
    const passage = this.showing;
    if (!passage) return;
    const body = { passage: passage.number, said, comment: this.comment.value };
    if (grade !== null) body.grade = grade;
    if (this.view.chosen && said === "grade") body.better = this.view.chosen;
    if (this.choices.value && grade) body.alternative = this.choices.value;
    this.sent = { passage, resumed: this.resumed, body };
    const follows = this.resumed ? this.resumed.current : this.next;
    if (follows) body.showing = follows.number;
    if (this.resumed) [this.current, this.next, this.resumed] = [this.resumed.current, this.resumed.next, null];
    else [this.current, this.next] = [this.next, null];
    const words = said === "grade" ? `Grade ${grade}.` : said === "unsure" ? "Unsure." : "Skipped.";
    this.words = words;
    // The next passage is here already; it is shown while the judgment is written.
    if (follows) this.show(follows, words);
    this.writer.send(body);
  }

  written(answer, troubled) {
    replace($("alert"));
    this.last = answer.last;
    this.showProgress(answer.progress);
    this.showLast();
    if (this.current) {
      this.next = answer.next;
      if (this.showing === this.current && !this.choices.value) this.showAlternatives(answer.alternatives);
    } else {
      this.current = answer.next;
      this.next = null;
      this.show(this.current, this.words);
      if (this.current) this.refill();
    }
    const off = answer.last.related.some(({ mismatch }) => mismatch);
    if (off || troubled) $("said").textContent = off ? "Written. Not graded alike: the same location has another grade in this group." : "Written.";
  }

  async refill() {
    const state = await getJson("/state");
    if (state.current && this.current && state.current.number === this.current.number) this.next = state.next;
  }

  trouble(text, final) {
    const { query, location } = this.sent.passage;
    replace($("alert"), el("div", { class: "trouble" }, icon("warn"),
      el("div", null, el("strong", null, "Your judgment is not written: "), text, el("p", null, `It is kept here: ${wordsOf(this.sent.body)} for “${query}”, ${location}. `, final ? "" : "It is tried again by itself; do not close the page.")),
      final ? null : button("Try again", { class: "quiet", on: { click: () => this.writer.attempt() } }),
      final ? button("Change it", { class: "quiet", on: { click: () => this.change() } }) : null));
  }

  // What the server refuses is shown once more, as it was.
  change() {
    const body = this.writer.takeBack();
    replace($("alert"));
    const { passage } = this.sent;
    this.resumed = { current: this.current, next: this.next };
    this.show(passage, "Not written.");
    this.comment.value = body.comment;
    this.commentBox.hidden = !body.comment;
  }

  back() {
    this.writer.after(() => this.turn(() => this.stepBack()));
  }

  async stepBack() {
    const at = this.showing && this.resumed ? `?passage=${this.showing.number}` : "";
    const { passage } = await getJson(`/before${at}`);
    if (!passage) {
      $("said").textContent = "This is the first one.";
      return;
    }
    if (!this.resumed) this.resumed = { current: this.current, next: this.next };
    this.show(passage, "Back.");
  }

  resume() {
    if (!this.resumed) return;
    [this.current, this.next, this.resumed] = [this.resumed.current, this.resumed.next, null];
    this.show(this.current, "");
  }

  again() {
    this.turn(async () => {
      const state = await postJson("/again", {});
      [this.current, this.next] = [state.current, state.next];
      this.showProgress(state.progress);
      this.show(this.current, "");
    });
  }

  openComment() {
    this.commentBox.hidden = false;
    this.comment.focus();
  }

  commentKey(event) {
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!this.comment.value) this.commentBox.hidden = true;
    this.view.list.focus({ preventScroll: true });
  }

  selectKey(event) {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    this.view.list.focus({ preventScroll: true });
  }

  setKeys(on) {
    this.keys = on;
    localStorageSet("rankgate-keys", on ? "on" : "off");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || this.help.open) return;
    if (event.target.closest("textarea, select, input")) return;
    if (event.key === "Escape") return this.resume();
    if (!this.keys && event.key !== "?") return;
    const acts = {
      u: () => this.judge("unsure", null), s: () => this.judge("skip", null), b: () => this.back(), c: () => this.showing && this.openComment(),
      a: () => { if (!this.choiceBox.hidden) this.choices.focus(); }, g: () => { if (this.guidelines) this.guidelines.open = !this.guidelines.open; },
      "[": () => this.view?.grow("above", MORE), "]": () => this.view?.grow("below", MORE), "?": () => this.help.showModal(),
    };
    const grade = this.state.grades.find((one) => String(one.grade) === event.key);
    const act = grade ? () => this.judge("grade", grade.grade) : acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

function wordsOf(label) {
  if (!label) return "";
  const said = label.said === "grade" ? `grade ${label.grade}` : label.said === "unsure" ? "unsure" : "skipped";
  return label.comment ? `${said}, “${label.comment}”` : said;
}

// A browser may keep nothing; then each page begins with keys on.
function localStorageGet(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

function localStorageSet(name, value) {
  try { localStorage.setItem(name, value); } catch { /* Nothing is kept. */ }
}

(async () => {
  try {
    new Judging(await getJson("/state"));
  } catch (error) {
    replace($("main"), el("p", { class: "waiting" }, `The passages cannot be shown: ${error.message}`));
  }
  document.documentElement.setAttribute("data-ready", "");
})();
