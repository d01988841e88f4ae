/** Projects in the console: an owner makes one, gives a key to it, renames it, archives it and brings it back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("a project is made, chosen for a key, changed, archived and brought back", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Pia Project");
  await visit(page, "/projects");
  await page.getByText("No project yet").waitFor();
  await page.getByRole("button", { name: "Make a project" }).first().click();
  const save = page.locator("dialog button[type=submit]");
  await save.click();
  await page.getByText("A name without #, at most 128 characters.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Search team");
  await save.click();
  const row = page.locator("tr:has-text('search-team')");
  await row.getByText("Everybody").waitFor();

  await visit(page, "/keys?new=1");
  await page.getByLabel("Name", { exact: true }).fill("finder");
  await page.getByText("Limits and defaults of its own").click();
  await page.getByLabel("Project", { exact: true }).selectOption("search-team");
  await save.click();
  await page.getByText("Your new key").waitFor();

  await visit(page, "/projects");
  await expect.poll(() => row.locator("td").nth(1).innerText()).toBe("1");
  await page.getByRole("button", { name: "Change Search team" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Finders");
  await page.locator("dialog").getByText("For some members").click();
  await page.getByRole("checkbox", { name: "Pia Project" }).check();
  await save.click();
  await row.getByText("Pia Project").waitFor();
  await page.getByRole("button", { name: "Archive Finders" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
  await row.getByText("archived").waitFor();
  await page.getByRole("button", { name: "Bring Finders back" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Bring back" }).click();
  await expect.poll(() => row.getByText("archived").count()).toBe(0);
  await visit(page, "/audit");
  await page.getByText("Project made").first().waitFor();
  await person.leave();
});
