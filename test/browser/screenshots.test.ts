/** `npm run screenshots`: a picture of every page in every look, so that people see what changed. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paths } from "../../console/paths.ts";
import { arrive, arriveAsDemo, openBrowser, started, visit } from "./person.ts";
import type { Page } from "./playwright.ts";

const folder = process.env.SCREENSHOTS ?? "";

test.each(["en", "zh"] as const)("pictures of every page in %s", { timeout: 600_000 }, async (language) => {
  const browser = await openBrowser();
  const locale = language === "zh" ? "zh-CN" : "en-US";
  let pictures = 0;
  const take = async (page: Page, name: string) => {
    for (const width of [390, 1180]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({
          path: join(folder, `${name}-${language}-${colorScheme}-${width}.png`),
          fullPage: true,
        });
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
  const { page } = person;
  for (const [name, path] of Object.entries(paths)) {
    await visit(page, path);
    await page.mouse.move(0, 0);
    await take(page, name);
  }
  await person.leave();
  await browser.close();
  console.log(`${pictures} pictures in ${folder}`);
  expect(pictures).toBe((Object.keys(paths).length + 1) * 4);
});
