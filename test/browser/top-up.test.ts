/** Automatic top-up: a card is added at the platform, it is turned on and off, and the card goes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, axe, navigation, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("an owner adds a card at the platform, comes back, turns top-up on and off, and removes the card", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Top Up");
  await visit(page, "/recharge");
  await page.getByRole("button", { name: "Add a card" }).click();
  await page.getByRole("button", { name: "Save a card that works" }).click();
  await page.getByRole("link", { name: "Back to the shop" }).click();
  await navigation(page);
  expect(page.url()).toContain("/recharge");

  // The card is there without anything being pressed.
  await page.getByLabel("Buy when there are fewer points than").fill("50");
  await page.getByLabel("Amount of each purchase").fill("10");
  await page.getByLabel("At most in a month").fill("5");
  await page.getByRole("button", { name: "Turn on", exact: true }).click();
  await page.getByText("An amount of at least $10.00.").waitFor();
  await page.getByLabel("At most in a month").fill("20");
  const says =
    /fewer than 50 points are left, \$10\.00 is charged to the .* ends in \d{4}, at most \$20\.00 a month/;
  await page.getByText(says).waitFor();
  await page.getByRole("button", { name: "Turn on", exact: true }).click();
  await page.getByText("It is on.").waitFor();
  await page.getByRole("button", { name: "Keep" }).nth(1).waitFor();
  expect(await axe(page)).toEqual([]);

  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("It is off.").waitFor();
  await page.getByRole("button", { name: "Remove the card" }).click();
  await page.locator("dialog .danger").click();
  await page.locator("dialog").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Add a card" }).waitFor();
  await person.leave();
});
