/** Policies in the console: an owner gives a project one and a key one, is told what is wrong, changes and takes away. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("a policy of a project is given, changed and taken away", async () => {
  const person = await arrive(browser);
  person.expectRefusal("/api/v1/policies");
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Pia Policy");
  await visit(page, "/policies");
  await page.getByText("No policy is given").waitFor();
  await page.getByRole("button", { name: "Give a policy" }).click();
  const save = page.locator("dialog button[type=submit]");
  await page.locator("dialog").getByText("Project", { exact: true }).click();
  await page.locator("dialog input:not([type=radio])").first().fill("search");
  await page.getByLabel("Most output tokens").fill("few");
  await save.click();
  await page.getByText("A whole number, 16 or more.").waitFor();
  await page.getByLabel("Most output tokens").fill("4096");
  await page.getByLabel("Addresses").fill("10.0.0.1/8");
  await save.click();
  await page.getByText("policy.addresses[0]").waitFor();
  await page.getByLabel("Addresses").fill("10.0.0.0/8");
  await page.getByLabel("Switches").fill("none");
  await save.click();
  const row = page.locator("tr:has-text('Project search')");
  await row.getByText("10.0.0.0/8").waitFor();
  await row.getByText("4096").waitFor();

  await page.getByRole("button", { name: "Change the policy: Project search" }).click();
  await page.getByLabel("Addresses").fill("");
  await save.click();
  await expect.poll(() => row.getByText("10.0.0.0/8").count()).toBe(0);
  await page.getByRole("button", { name: "Take the policy away: Project search" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take away" }).click();
  await page.getByText("No policy is given").waitFor();
  await visit(page, "/audit");
  await page.getByText("Policy changed").first().waitFor();
  await person.leave();
});
