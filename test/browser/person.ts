/** Somebody at a browser: a context that fails on any error of a page, and the steps that most tests begin with. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { type Found, launch } from "./chromium.ts";
import type { Browser, Context, ContextOptions, Page, StorageState } from "./playwright.ts";

export const started = inject("started");

/** The browser that run.ts has found. */
export async function openBrowser(): Promise<Browser> {
  return await launch(JSON.parse(process.env.BROWSER_FOUND ?? "{}") as Found);
}

/** What the browsers of a session have asked of the console in a minute. */
interface Pace {
  minute: number;
  asked: number;
}

const paces = new WeakMap<Page, Pace>();
const minuteMs = 60_000;
/** More than any test asks between two visits. */
const spareCalls = 50;

/** The calls of this minute, which the gateway counts by the same clock. */
function paceOfNow(pace: Pace): Pace {
  const minute = Math.floor(Date.now() / minuteMs);
  if (pace.minute !== minute) Object.assign(pace, { minute, asked: 0 });
  return pace;
}

/** Waits for the next minute where a quick machine has left the page's session few calls in this one. */
async function keepPace(page: Page): Promise<void> {
  const pace = paceOfNow(paces.get(page) ?? { minute: 0, asked: 0 });
  if (pace.asked + spareCalls <= consoleLimits.callsPerSessionAMinuteMax) return;
  await sleep((pace.minute + 1) * minuteMs - Date.now());
}

export interface Person {
  context: Context;
  page: Page;
  /** What pages have reported: errors, warnings, and what the policy refused. */
  faults: string[];
  /** Answers of errors that a test expects: their console message is no fault. */
  expectRefusal(path: string): void;
  /** Closes the browser, and fails on any fault. Gives what another browser needs to go on. */
  leave(): Promise<StorageState>;
}

/** A person with a browser of their own: no cookies but those of `storageState`, whose session has the `pace`. */
export async function arrive(
  browser: Browser,
  options: ContextOptions = {},
  pace: Pace = { minute: 0, asked: 0 },
): Promise<Person> {
  const context = await browser.newContext({
    viewport: { width: 1180, height: 800 },
    locale: "en-US",
    reducedMotion: "reduce",
    ...options,
  });
  const faults: string[] = [];
  const refusals: string[] = [];
  const page = await context.newPage();
  paces.set(page, pace);
  page.on("request", (request) => {
    if (request.url().includes("/api/v1/")) paceOfNow(pace).asked += 1;
  });
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    const { url } = message.location();
    if (refusals.some((path) => url.includes(path))) return;
    faults.push(`${message.type()}: ${message.text()} (${url})`);
  });
  page.on("pageerror", (error) => faults.push(`thrown: ${error.message}`));
  // A dialog of the browser is what an injected script would open.
  page.on("dialog", (dialog) => {
    faults.push("a dialog was opened");
    void dialog.dismiss();
  });
  return {
    context,
    page,
    faults,
    expectRefusal: (path) => refusals.push(path),
    leave: async () => {
      const state = await context.storageState();
      await context.close();
      expect(faults).toEqual([]);
      return state;
    },
  };
}

/** The newest code that was sent to a phone. */
export async function codeFor(phone: string): Promise<string> {
  const answer = await fetch(`${started.inbox}/inbox.json?phone=${encodeURIComponent(phone)}`);
  const { data } = (await answer.json()) as { data: { code: string }[] };
  expect(data.length, `codes for ${phone}`).toBeGreaterThan(0);
  return data[0]?.code ?? "";
}

/** The demo account of `npm start`, whose organization has some calls. */
const demoPhone = "13800000000";

/**
 * Whoever has the demo account, in a context of its own. A phone gets one code a minute, and a refresh token is good
 * once, so the browsers of a run hand one session on. They must not have it at the same time.
 */
export async function arriveAsDemo(browser: Browser, options: ContextOptions = {}): Promise<Person> {
  const kept = existsSync(started.sessionFile)
    ? (JSON.parse(readFileSync(started.sessionFile, "utf8")) as { state: StorageState; pace: Pace })
    : undefined;
  const pace = kept?.pace ?? { minute: 0, asked: 0 };
  // The language is the test's choice.
  for (const { localStorage } of kept?.state.origins ?? [])
    for (const [at, { name }] of localStorage.entries()) if (name === "locale") localStorage.splice(at, 1);
  const person = await arrive(browser, { ...options, ...(kept && { storageState: kept.state }) }, pace);
  await keepPace(person.page);
  await person.page.goto(started.console);
  if (kept) await navigation(person.page);
  else await signIn(person, demoPhone);
  return {
    ...person,
    leave: async () => {
      const state = await person.leave();
      writeFileSync(started.sessionFile, JSON.stringify({ state, pace }));
      return state;
    },
  };
}

/** Opens a page as a link in it does, which asks less than a whole load, and at the pace that a session may have. */
export async function visit(page: Page, path: string): Promise<void> {
  await keepPace(page);
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
  await page.waitForLoadState("networkidle");
  await page.locator("h1").first().waitFor();
}

/** The console of somebody who is signed in is drawn. */
export const navigation = (page: Page) => page.locator("nav a").first().waitFor({ state: "attached" });

let next = 0;
/** A mainland number that nobody has signed up with. */
export function newPhone(): string {
  next += 1;
  return `139${String(Date.now() % 1_000_000).padStart(6, "0")}${String(next).padStart(2, "0")}`;
}

/** Goes through the sign-in, and through the sign-up where the phone is new and a name is given. */
export async function signIn(
  person: Pick<Person, "page" | "expectRefusal">,
  phone: string,
  name?: string,
): Promise<void> {
  const { page } = person;
  // That a phone is unknown is learned by trying.
  if (name !== undefined) person.expectRefusal("/auth/sign-in");
  await page.locator("input[type=tel]").fill(phone);
  await page.locator("button[type=submit]").click();
  const code = page.locator("input[autocomplete=one-time-code]");
  await code.waitFor();
  await code.fill(await codeFor(`+86${phone}`));
  await page.locator("button[type=submit]").click();
  if (name !== undefined) {
    await page.locator("input[autocomplete=name]").fill(name);
    await page.locator("button[type=submit]").click();
  }
  await navigation(page);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[]; failureSummary?: string }[] }[];
}

/** What axe finds against WCAG 2.2 A and AA on the page, as lines. */
export async function axe(page: Page): Promise<string[]> {
  // The page's policy takes no script of others. What the driver evaluates is not held to it.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(`${axeSource}; 0`);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const options = JSON.stringify({ runOnly: { type: "tag", values: tags } });
  const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(" ")} ${failureSummary ?? ""}`),
  );
}
