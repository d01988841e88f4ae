/** A key in the console: it is renamed and bounded, disabled and enabled, and given another secret. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const statusWith = async (secret: string) => {
  const answer = await fetch(`${started.gateway}/api/business/v1/customer/balance`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  return answer.status;
};

test("each change acts on the next call", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Kay Change");
  await visit(page, "/keys?new=1");
  const dialog = page.locator("dialog");
  const save = dialog.locator("button[type=submit]");
  await page.getByLabel("Name", { exact: true }).fill("first");
  await save.click();
  const secret = await page.getByLabel("Secret of the key").inputValue();
  await page.getByRole("button", { name: "I have kept it" }).click();
  expect(await statusWith(secret)).toBe(200);

  await page.getByRole("button", { name: "Change first" }).click();
  await page.getByLabel("Name", { exact: true }).fill("second");
  await page.getByLabel("Budget", { exact: true }).selectOption("month");
  await page.getByLabel("Points", { exact: true }).fill("7");
  await save.click();
  await page
    .locator("tr:has-text('second')")
    .getByText(/budget: 0.* of 7/)
    .waitFor();

  await page.getByRole("button", { name: "Disable second" }).click();
  await dialog.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByText("disabled", { exact: true }).waitFor();
  expect(await statusWith(secret)).toBe(401);
  await page.getByRole("button", { name: "Enable second" }).click();
  await dialog.getByRole("button", { name: "Enable", exact: true }).click();
  await page.getByRole("button", { name: "Disable second" }).waitFor();
  expect(await statusWith(secret)).toBe(200);

  await page.getByRole("button", { name: "New secret of second" }).click();
  await page.getByLabel("The old secret").selectOption("none");
  await save.click();
  const other = await page.getByLabel("Secret of the key").inputValue();
  await page.getByRole("button", { name: "I have kept it" }).click();
  expect([await statusWith(secret), await statusWith(other)]).toEqual([401, 200]);
  await person.leave();
});
