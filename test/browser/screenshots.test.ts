/** `npm run screenshots`: a picture of every page and dialog in every look, so that people see what changed. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { consolePages, operatorPages } from "#infra/bundles/console-pages.ts";
import { languages, settled } from "./looks.ts";
import { arriveAsOperator, tokenOf } from "./operating.ts";
import { orderRecharge, payOrder } from "./paying.ts";
import { arrive, arriveAsDemo, openBrowser, type Person, started, visit } from "./person.ts";
import type { Page } from "./playwright.ts";

const folder = process.env.SCREENSHOTS ?? "";

/** What is behind the pages. Each leaves the page so that the next can be opened. */
const states: Record<string, (person: Person) => Promise<unknown>> = {
  receipt: async ({ page }) => {
    await visit(page, "/calls");
    await page.locator("tbody a").first().click();
    await page.locator(".figures-row").waitFor();
  },
  "playground-answer": async ({ page }) => {
    await visit(page, "/playground");
    await page.locator(".try .button.main").click();
    await page.locator(".try .amount").waitFor();
  },
  "playground-beside": async ({ page }) => {
    await page.locator(".try .card select").nth(1).selectOption("anthropic/claude-haiku-4-5");
    await page.locator(".try > .stack textarea").fill("And at sunset?");
    await page.locator(".try .button.main").click();
    await page.locator(".try .amount").nth(1).waitFor();
  },
  "key-new": async ({ page }) => {
    await visit(page, "/keys?new=1");
    await page.locator("dialog summary").click();
  },
  "key-made": async ({ page }) => {
    await page.locator("dialog .button.main").click();
    await page.locator("dialog .secret").waitFor();
  },
  "keys-usage": async ({ page }) => {
    await page.locator("dialog .button.main").click();
    await visit(page, "/usage?by=key&range=day");
    await page.locator("tbody a").first().waitFor();
  },
  "plan-quote": async ({ page }) => {
    await visit(page, "/plan");
    await page.locator(".plan .button.main").first().click();
    await page.locator("dialog .sum .total").waitFor();
  },
  pay: async ({ page }) => {
    await page.keyboard.press("Escape");
    await visit(page, "/recharge");
    await orderRecharge(page, "100");
  },
  paid: async (person) => {
    await payOrder(person, "Pay, lose the notice");
    await person.page.locator("dialog .note.good").waitFor();
  },
  orders: async ({ page }) => {
    await page.keyboard.press("Escape");
    await page.locator("tbody .badge.good").first().waitFor();
  },
  "invoice-request": async ({ page }) => {
    await visit(page, "/invoices");
    await page.locator("form button[type=submit]").click();
  },
  "member-invite": async ({ page }) => {
    await visit(page, "/members");
    await page.locator(".sheet-head .button.main").click();
    await page.locator("dialog .button.main").waitFor();
  },
  menu: async ({ page }) => {
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.locator(".menu-button").click();
  },
};

test.each(Object.entries(languages))("pictures in %s", { timeout: 600_000 }, async (language, locale) => {
  const browser = await openBrowser();
  let pictures = 0;
  const take = async (page: Page, name: string) => {
    // Nothing is pointed at.
    await page.mouse.move(0, 0);
    for (const width of [390, 1180]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const path = join(folder, `${name}-${language}-${colorScheme}-${width}.png`);
        await page.screenshot({ path, fullPage: true });
        pictures += 1;
      }
    }
  };
  mkdirSync(folder, { recursive: true });
  const stranger = await arrive(browser, { locale });
  await stranger.page.goto(started.console);
  await stranger.page.locator("input[type=tel]").waitFor();
  await take(stranger.page, "sign-in");
  await stranger.leave();
  const person = await arriveAsDemo(browser, { locale });
  for (const [name, { path }] of consolePages()) {
    await visit(person.page, path);
    await take(person.page, name);
  }
  for (const [name, open] of Object.entries(states)) {
    await open(person);
    await take(person.page, name);
  }
  await person.leave();
  const { token } = await tokenOf(`Pia-${language}`, "support,finance");
  const runs = await arriveAsOperator(browser, token, { locale });
  for (const [name, { path }] of operatorPages()) {
    await visit(runs.page, path);
    await settled(runs.page);
    await take(runs.page, `operators-${name}`);
  }
  await runs.leave();
  await browser.close();
  console.log(`${pictures} pictures in ${folder}`);
  expect(pictures).toBe(
    (consolePages().length + operatorPages().length + Object.keys(states).length + 1) * 4,
  );
});
