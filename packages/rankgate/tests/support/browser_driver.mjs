// Lets tests in Python drive a browser: a line of JSON in names an object and a chain of calls, a line out answers.

import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const [, , packages, executable, kind, scheme] = process.argv;
const load = createRequire(`${packages}/`);
// Firefox takes its theme from its settings, once for all pages.
const firefox = () => load("puppeteer-core").launch({ browser: "firefox", executablePath: executable, extraPrefsFirefox: { "ui.systemUsesDarkTheme": Number(scheme === "dark"), "layout.css.prefers-color-scheme.content-override": scheme === "dark" ? 0 : 1 } });
const browser = kind === "firefox" ? await firefox() : await load("playwright-core").chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb", "--font-render-hinting=none"] });
const pages = new Map();

async function open(options) {
  const context = kind === "firefox" ? await browser.createBrowserContext() : await browser.newContext(options);
  const page = await context.newPage();
  if (kind === "firefox") await page.setViewport(options.viewport);
  page.setDefaultTimeout(10000);
  const seen = { console: [], errors: [], requests: [], refused: [], dialogs: [] };
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) seen.console.push(message.text()); });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("requestfailed", (request) => { if (request.failure()?.errorText === "csp") seen.refused.push(request.url()); });
  page.on("dialog", (dialog) => { seen.dialogs.push(dialog.message()); dialog.dismiss(); });
  const id = pages.size + 1;
  pages.set(id, { context, page, seen });
  return id;
}

async function act({ page: id, calls }) {
  let value = pages.get(id).page;
  for (const [name, ...args] of calls) {
    const member = value[name];
    value = typeof member === "function" ? await member.apply(value, args) : member;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  // What is not plain data stays here.
  const plain = value === null || typeof value !== "object" || Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return plain ? value : null;
}

const commands = {
  open: ({ options }) => open(options),
  act,
  seen: ({ page }) => pages.get(page).seen,
  shut: ({ page }) => pages.get(page).context.close(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let answer;
  try {
    const value = await commands[asked.command](asked);
    answer = { value: value === undefined ? null : value };
    JSON.stringify(answer);
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
