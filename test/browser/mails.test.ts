/** Which mails somebody gets: chosen in the settings, kept at once, and there again when the page is opened anew. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "./looks.ts";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("an owner without an address is told so, chooses, and finds the choice again", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Mai Mail");
  await visit(page, "/settings");
  await page.getByText("You have no e-mail address.").waitFor();
  const money = page.getByLabel("Orders, credits and invoices");
  expect(await money.inputValue()).toBe("all");
  expect(await page.getByLabel("Members and their roles").inputValue()).toBe("own");
  const kept = page.waitForResponse(
    (response) => response.url().endsWith("/account/mails") && response.request().method() === "PATCH",
  );
  await money.selectOption("none");
  expect((await kept).status()).toBe(200);
  expect(await faultsOf(page)).toEqual([]);
  await visit(page, "/");
  await visit(page, "/settings");
  await money.locator('option:checked:has-text("Nothing")').waitFor({ state: "attached" });
  await person.leave();
});
