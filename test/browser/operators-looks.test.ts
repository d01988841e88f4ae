/** Every page of operators in both languages, light and dark, on a phone and on a desk: what axe finds, and whether it fits. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operatorPages } from "#infra/bundles/console-pages.ts";
import { faultsOf, languages, settled } from "./looks.ts";
import { arriveAsOperator, command, signInBy, tokenOf } from "./operating.ts";
import { arrive, openBrowser, type Person, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
let customer: string;
beforeAll(async () => {
  browser = await openBrowser();
  const made = await command("org", "create", "--name", "Acme & Sons", "--points", "10", "--plan", "pro");
  customer = String(made.id);
  await command("key", "create", "--org", customer, "--mode", "payg", "--name", "robot");
});
afterAll(() => browser.close());

describe.each(Object.entries(languages))("in %s", (language, locale) => {
  let person: Person;
  beforeAll(async () => {
    const { token } = await tokenOf(`Lea-${language}`, "support,finance");
    person = await arriveAsOperator(browser, token, { locale });
  });
  afterAll(() => person.leave());

  test("the sign-in fits every look, and says what is wrong", async () => {
    const { page, leave } = await arrive(browser, { locale });
    await page.goto(`${started.console}/operators`);
    await page.locator("input[type=password]").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await signInBy(page, "no token");
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.lang")).toBe(language === "zh" ? "zh-CN" : "en");
    await leave();
  });

  test.each(operatorPages())("%s fits every look", async (_, { path, title }) => {
    const { page } = person;
    await visit(page, path);
    await settled(page);
    expect(await page.title()).toContain(title[language as keyof typeof languages]);
    expect(await faultsOf(page)).toEqual([]);
  });

  test.each(["keys", "projects", "orders", "invoices", "credits", "audit"])(
    "a customer with %s fits every look",
    async (part) => {
      const { page } = person;
      await visit(page, `/operators/customers/${customer}?show=${part}`);
      await settled(page);
      expect(await faultsOf(page)).toEqual([]);
    },
  );

  test("a credit, what it would do, and its proposal fit every look", async () => {
    const { page } = person;
    await page.locator(".sheet-head .button.main").click();
    const [points, reference, reason] = [0, 1, 2].map((at) => page.locator("dialog input").nth(at));
    await page.locator("dialog button[type=submit]").click();
    expect(await faultsOf(page)).toEqual([]);
    await points?.fill("4000");
    await reference?.fill(`looks-${language}`);
    await reason?.fill("an outage");
    await page.locator("dialog button[type=submit]").click();
    await page.locator("dialog .note").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.locator("dialog button[type=submit]").click();
    await page.locator("main .note a").click();
    await page.waitForURL(/proposals\/prp_/);
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
  });

  test.each(["channels/vza5ii", "models/openai%2Fgpt-5.4-mini", "nothing"])(
    "%s fits every look",
    async (path) => {
      const { page } = person;
      await visit(page, `/operators/${path}`);
      await settled(page);
      expect(await faultsOf(page)).toEqual([]);
    },
  );
});
