// One query as Markdown, for an issue or a review. Whatever comes from the data is shown as code or escaped.

function markdownText(text) {
  return text.replace(/\s+/g, " ").trim().replace(/[\\`*_{}[\]()<>#+\-.!|~@&:$]/g, "\\$&");
}

function markdownCode(text) {
  const plain = text.replace(/\s+/g, " ");
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest ? `${fence} ${plain} ${fence}` : `${fence}${plain || " "}${fence}`;
}

function queryMarkdown(page, query) {
  const values = page.metrics.map((metric, at) => `${markdownText(metric.name)} ${query.shown[at] ?? "–"}${query.before ? ` (was ${query.before.shown[at] ?? "–"})` : ""}`);
  const mark = (one) => ({ "✅": " (relevant)", "❌": " (judged irrelevant)" })[one] || "";
  const lines = [`**${markdownText(query.query)}** (${markdownText(endedWord(query.ended))})`, "", markdownCode(query.case) + (query.where ? ` in ${markdownCode(query.where)}` : ""), ""];
  for (const reason of query.reasons) lines.push(`- ${markdownText(reason)}`);
  if (values.length && query.shown.length) lines.push(`- ${values.join(", ")}`);
  if (query.before && query.before.first) lines.push(`- ${markdownText(query.before.first)}`);
  lines.push("", "Expected:", "");
  for (const target of query.targets) lines.push(`- ${markdownCode(target.location)}${target.grade ? `, grade ${markdownText(target.grade)}` : ""}: ${markdownText(target.ended)}`);
  if (!query.targets.length) lines.push("- no hit");
  lines.push("", "Returned:", "");
  query.hits.slice(0, 5).forEach((hit, at) => lines.push(`${at + 1}. ${markdownCode(titled(hit))}${mark(hit.mark)}`));
  if (!query.hits.length) lines.push("- nothing");
  if (query.ask) lines.push("", markdownCode(query.ask));
  return `${lines.join("\n")}\n`;
}
