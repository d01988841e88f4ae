/** What binds a key's calls, on the key's sheet in the console: budgets and policies of its levels, and its own policy. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "./looks.ts";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const opened = async (page: Page) => {
  await visit(page, "/keys");
  await page.getByRole("button", { name: "Change bound" }).click();
  await page.getByText("What else binds its calls").click();
  return page.locator("dialog details:has-text('What else binds')");
};

test("nothing, and then a budget with what is left, and a policy", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Kim Bound");
  await visit(page, "/keys?new=1");
  await page.getByLabel("Name", { exact: true }).fill("bound");
  await page.locator("dialog button[type=submit]").click();
  await page.getByRole("button", { name: "I have kept it" }).click();
  await (await opened(page)).getByText("Nothing but what is above").waitFor();
  await page.keyboard.press("Escape");

  await visit(page, "/budgets");
  await page.getByRole("button", { name: "Give a budget" }).click();
  await page.getByLabel("Points", { exact: true }).fill("50");
  await page.locator("dialog button[type=submit]").click();
  await page.getByText("50.00 each month").waitFor();
  await visit(page, "/policies");
  await page.getByRole("button", { name: "Give a policy" }).click();
  await page.getByLabel("Most output tokens").fill("4096");
  await page.locator("dialog button[type=submit]").click();
  await page.getByText("4096").first().waitFor();

  const bounds = await opened(page);
  await bounds.getByText("50.00 left of 50.00 per month").waitFor();
  await bounds.getByText("Policy: Organization").waitFor();
  await bounds.getByText("4096").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await person.leave();
});
