/** Budgets in the console: an owner gives the organization one, sees what a call used of it, changes it and takes it away. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("a budget of the organization is given, used, changed and taken away", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Bea Budget");
  await visit(page, "/budgets");
  await page.getByText("No budget is given").waitFor();
  await page.getByRole("button", { name: "Give a budget" }).click();
  const save = page.locator("dialog button[type=submit]");
  await page.getByLabel("Points", { exact: true }).fill("some");
  await save.click();
  await page.getByText("A number of points, such as 50 or 0.5.").waitFor();
  await page.getByLabel("Points", { exact: true }).fill("50");
  await save.click();
  const row = page.locator("tr:has-text('Organization')");
  await row.getByText("50.00 each month").waitFor();
  await row.getByText("50.00 left").first().waitFor();

  await page.getByRole("button", { name: "Give a budget" }).click();
  await page.locator("dialog").getByText("Project", { exact: true }).click();
  await page.locator("dialog input:not([type=radio])").first().fill("search");
  await page.getByLabel("Points", { exact: true }).fill("0.5");
  await page.getByLabel("Period (UTC)").selectOption("day");
  await save.click();
  await page
    .locator("tr:has-text('Project search')")
    .getByText(/^0\.50? each day/)
    .waitFor();

  await page.getByRole("button", { name: "Change the budget: Organization" }).click();
  await page.getByLabel("Points", { exact: true }).fill("20");
  await save.click();
  await row.getByText("20.00 each month").waitFor();
  await page.getByRole("button", { name: "Take the budget away: Organization" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take away" }).click();
  await expect.poll(() => row.count()).toBe(0);
  await visit(page, "/audit");
  await page.getByText("search").first().waitFor();
  await person.leave();
});
