// Judgments on their way to the disk: one at a time, kept here until the server says that it is written.

class NotWrittenError extends Error {
  constructor(text, final) {
    super(text);
    this.final = final;
  }
}

async function getJson(address) {
  const answer = await fetch(address, { credentials: "same-origin" });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

async function postJson(address, body) {
  let answer;
  try {
    answer = await fetch(address, {
      method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
  } catch {
    throw new NotWrittenError("the server does not answer: is `rankgate judge` still running?", false);
  }
  if (answer.ok) return answer.json();
  throw new NotWrittenError((await answer.text()).trim(), answer.status === 400);
}

class Writer {
  constructor(onWritten, onTrouble) {
    this.onWritten = onWritten;
    this.onTrouble = onTrouble;
    this.kept = null;
    this.later = null;
    this.tries = 0;
    this.timer = 0;
    addEventListener("beforeunload", (event) => { if (this.kept) event.preventDefault(); });
  }

  get busy() { return this.kept !== null; }

  keep(judgment) {
    this.kept = judgment;
    document.documentElement.toggleAttribute("data-writing", judgment !== null);
  }

  // What is pressed while a judgment is written waits for it, once: a second press would be for a passage that
  // nobody has seen yet.
  after(act) {
    if (!this.busy) act();
    else if (!this.later) this.later = act;
  }

  send(judgment) {
    this.keep(judgment);
    this.tries = 0;
    return this.attempt();
  }

  async attempt() {
    clearTimeout(this.timer);
    if (!this.kept) return;
    this.tries += 1;
    try {
      const answer = await postJson("/judgments", this.kept);
      const { later } = this;
      const troubled = this.tries > 1;
      this.keep(null);
      this.later = null;
      this.onWritten(answer, troubled);
      if (later && !troubled) later();
    } catch (error) {
      this.later = null;
      this.onTrouble(error.message, error.final);
      if (!error.final) this.timer = setTimeout(() => this.attempt(), Math.min(15000, 1000 * 2 ** this.tries));
    }
  }

  // Take back what cannot be written, to be changed.
  takeBack() {
    clearTimeout(this.timer);
    const { kept } = this;
    this.keep(null);
    return kept;
  }
}
