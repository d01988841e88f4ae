/** What an open page notices of what others change: a freeze of the organization, and of the user. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "./looks.ts";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const account = /\/api\/v1\/account$/;

test("an open page says that its organization is frozen, and that it is no more; a frozen user is signed out", async () => {
  const person = await arrive(browser);
  const { page, context } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Fred Frozen");
  await visit(page, "/docs");
  const frozen = page.getByText(/organization is frozen/);
  expect(await frozen.count()).toBe(0);
  await context.route(account, async (route) => {
    const read = (await (await route.fetch()).json()) as { organization: object };
    const body = JSON.stringify({ ...read, organization: { ...read.organization, status: "frozen" } });
    await route.fulfill({ status: 200, contentType: "application/json", body });
  });
  // Nobody touches the page: it asks by itself.
  await frozen.waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await context.unrouteAll({ behavior: "wait" });
  // It asks at once when somebody comes back to the tab.
  // Whoever comes back again before the answer is there does not make it ask again. Its own turn may come between.
  let asked = 0;
  await context.route(account, async (route) => {
    asked += 1;
    await route.continue();
  });
  await page.evaluate("for (let n = 0; n < 5; n++) document.dispatchEvent(new Event('visibilitychange'))");
  await frozen.waitFor({ state: "hidden" });
  expect([1, 2]).toContain(asked);
  person.expectRefusal("/api/v1/");
  const error = { type: "permission_error", code: 40110, message: "This account is frozen." };
  const refused = { status: 403, contentType: "application/json", body: JSON.stringify({ error }) };
  await context.route(/\/api\/v1\/(?:account|auth\/refresh)$/, (route) => route.fulfill(refused));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText("This account is frozen").waitFor();
  await page.locator("input[type=tel]").waitFor();
  await person.leave();
});
