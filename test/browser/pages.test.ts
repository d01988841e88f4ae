/** Every page in both languages, light and dark, on a phone and on a desk: what axe finds, and whether it fits. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { consolePages } from "#infra/bundles/console-pages.ts";
import { faultsOf, languages, settled } from "./looks.ts";
import { arrive, arriveAsDemo, axe, newPhone, openBrowser, type Person, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe.each(Object.entries(languages))("in %s", (language, locale) => {
  test("the sign-in fits every look, at each of its steps", async () => {
    const { page, leave } = await arrive(browser, { locale });
    await page.goto(started.console);
    await page.locator("input[type=tel]").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.locator("input[type=tel]").fill(newPhone());
    await page.locator("button[type=submit]").click();
    await page.locator("input[autocomplete=one-time-code]").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.lang")).toBe(language === "zh" ? "zh-CN" : "en");
    await leave();
  });

  let person: Person;
  beforeAll(async () => {
    person = await arriveAsDemo(browser, { locale });
  });
  afterAll(() => person.leave());

  test.each(consolePages())("%s fits every look", async (_, { path }) => {
    const { page } = person;
    await visit(page, path);
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("the receipt of a call fits every look", async () => {
    const { page } = person;
    await visit(page, "/calls");
    await page.locator("tbody a").first().click();
    await page.waitForURL(/\/calls\/req_/);
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("dialogs and the menu fit every look", async () => {
    const { page } = person;
    await visit(page, "/keys?new=1");
    await page.locator("dialog[open]").waitFor();
    await page.locator("dialog summary").click();
    await page.locator("dialog select").first().selectOption("month");
    await page.locator("dialog .pair .box").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await visit(page, "/settings");
    await settled(page);
    await page.setViewportSize({ width: 1180, height: 800 });
    await page.locator(".account-button").click();
    await page.locator(".popover").waitFor();
    expect(await axe(page)).toEqual([]);
  });
});
