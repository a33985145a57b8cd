// The page's own words. Whatever is about the evaluation itself comes with the data.

const VERDICT_WORDS = { "✅": "Passed", "⚠️": "Not decided", "❌": "Failed" };
const MARK_WORDS = { "✅": "passed", "⚠️": "warning", "❌": "failed", "": "not judged" };
const HIT_WORDS = { "✅": "expected", "⚠️": "doubtful", "❌": "wrong", "": "not judged" };
const ENDED_WORDS = {
  passed: "Passed",
  short: "Fell short",
  failed: "Failed",
  known: "Known miss",
  error: "Error",
  timeout: "Timed out",
  missing: "Missing",
};

// Times are kept as machines write them.
function when(text) {
  return text.replace(/\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)/g, "$1 $2 UTC");
}

function endedWord(ended) {
  return Object.hasOwn(ENDED_WORDS, ended) ? ENDED_WORDS[ended] : ended;
}
