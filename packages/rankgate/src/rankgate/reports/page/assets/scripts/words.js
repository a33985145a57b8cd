// The page's own words. Whatever is about the evaluation itself comes with the data.

const MARK_WORDS = { "✅": "passed", "⚠️": "warning", "❌": "failed", "": "unjudged" };
const HIT_WORDS = { "✅": "relevant", "⚠️": "doubtful", "❌": "judged irrelevant", "": "unjudged" };
const ENDED_WORDS = {
  passed: "Passed",
  short: "Weak",
  failed: "Failed",
  known: "Known miss",
  error: "Error",
  timeout: "Timed out",
  missing: "Missing",
};

// How an evaluation ended: a sign and a colour for each, and never the colour alone.
const STATES = {
  passed: ["good", "good"],
  failed: ["bad", "bad"],
  inconclusive: ["question", "warn"],
  "not enforced": ["open", "accent"],
  "no gates": ["dash", "muted"],
  "system error": ["plug", "orange"],
  "suite error": ["stop", "purple"],
  "internal error": ["burst", "crimson"],
};

// Times are kept as machines write them.
function when(text) {
  return text.replace(/\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)/g, "$1 $2 UTC");
}

function endedWord(ended) {
  return Object.hasOwn(ENDED_WORDS, ended) ? ENDED_WORDS[ended] : ended;
}

function many(number, one, several) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : several || `${one}s`}`;
}

// Both ends stay, so that rows that begin alike do not look alike.
function shortened(text, room) {
  const letters = [...text];
  if (letters.length <= room) return text;
  const head = Math.ceil((room - 3) * 0.55);
  return `${letters.slice(0, head).join("").trimEnd()} … ${letters.slice(letters.length - (room - 3 - head)).join("").trimStart()}`;
}
