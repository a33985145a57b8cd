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

function endedWord(ended) {
  return Object.hasOwn(ENDED_WORDS, ended) ? ENDED_WORDS[ended] : ended;
}
