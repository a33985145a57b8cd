// The page of a folder of results: every suite and system, how it ended last, and how it went over time.

function buildIndex(data) {
  replace(document.getElementById("main"), el("p", null, data.title));
}
