/** Own provider keys in the console: an owner gives one, a bad one is refused, the use is changed, and it is removed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("a key is given, changed and removed, and one that the provider refuses is not kept", async () => {
  const person = await arrive(browser);
  person.expectRefusal("/api/v1/provider-keys/openai");
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Olive Own");
  await visit(page, "/provider-keys");
  await page.getByText("No key is given").waitFor();
  await page.getByText("Our fee is 5 % of the list price.").waitFor();
  await page.getByRole("button", { name: "Give a key" }).click();
  const save = page.locator("dialog button[type=submit]");
  await page.getByLabel("Provider", { exact: true }).selectOption("openai");
  const key = page.getByLabel("Key", { exact: true });
  await key.fill("short");
  await save.click();
  await page.getByText("16 to 512 characters").waitFor();
  await key.fill("sk-this-is-a-bad-one-0001");
  await save.click();
  await page.getByText("The provider refused this key").waitFor();
  await key.fill("sk-this-is-the-right-one-7Qa2");
  await save.click();
  const row = page.locator("tr:has-text('openai')");
  await row.getByText("…7Qa2").waitFor();
  await row.getByText("Alone").waitFor();
  await page.getByRole("button", { name: "Change the key at openai" }).click();
  await page.locator("dialog").getByText("Before ours").click();
  await save.click();
  await row.getByText("Before ours").waitFor();
  await page.getByRole("button", { name: "Remove the key at openai" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => row.count()).toBe(0);
  await visit(page, "/audit");
  await page.getByText("Provider key set").first().waitFor();
  expect(await page.content()).not.toContain("sk-this-is");
  await person.leave();
});
