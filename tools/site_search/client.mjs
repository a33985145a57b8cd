// The search of the built site, as a browser runs it: the worker of the site itself, with the index of the site.
// Reads a line of JSON for each query, and writes one with the addresses that the reader is shown, best first.
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import vm from "node:vm";

const site = process.argv[2];
const workers = `${site}/assets/javascripts/workers`;
const [program] = readdirSync(workers).filter((name) => /^search\..*\.js$/.test(name));
const index = JSON.parse(readFileSync(`${site}/search.json`, "utf8"));

let settle;
const self = { postMessage: (message) => settle(message) };
vm.runInNewContext(readFileSync(`${workers}/${program}`, "utf8"), { self, Intl, console });
const told = (message) =>
  new Promise((resolve) => {
    settle = resolve;
    // A message is a copy, and the worker changes what it gets.
    self.onmessage({ data: structuredClone(message) });
  });

// The messages of the page's own script: 0 sets the worker up, 1 is its answer; 2 asks, 3 is the answer.
const ready = await told({ type: 0, data: index });
if (ready.type !== 1) throw new Error(`the worker answered ${JSON.stringify(ready)}`);
const filter = {
  input: { type: "operator", data: { operator: "and", operands: [] } },
  aggregation: { input: [{ type: "term", data: { field: "tags" } }] },
};
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await told({ type: 2, data: { input: JSON.parse(line), filter } });
  if (answer.type !== 3) throw new Error(`the worker answered ${JSON.stringify(answer)}`);
  console.log(JSON.stringify(answer.data.items.map((item) => `/${index.items[item.id].location}`)));
}
