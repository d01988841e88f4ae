/** What is checked of a page in every look: light and dark, on a phone and on a desk. */
import { axe } from "./person.ts";
import type { Page } from "./playwright.ts";

/** The languages, as browsers name them. */
export const languages = { en: "en-US", zh: "zh-CN" } as const;
const widths = [390, 1180] as const;
const schemes = ["light", "dark"] as const;

/** Codes of a table that are as short as 42901, and break all the same. */
const brokenCodes = `[...document.querySelectorAll("td code, th code")]
  .filter((code) => {
    const range = document.createRange();
    range.selectNodeContents(code);
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
    return code.textContent.length < 6 && lines.size > 1;
  })
  .map(({ textContent }) => textContent)`;

/** Buttons and fields that reach out of what clips them, or that lie over the field beside them. */
const cut = `(() => {
  const clips = (of) => of === document.documentElement || getComputedStyle(of).overflowX !== "visible";
  const parts = [...document.querySelectorAll("main, dialog")].flatMap((part) => [
    ...part.querySelectorAll("button, .button, select, .box"),
  ]);
  return parts.flatMap((part) => {
    const { left, right, width } = part.getBoundingClientRect();
    let around = part.parentElement;
    while (around.parentElement && !clips(around) && !around.matches(".field")) around = around.parentElement;
    const room = around.getBoundingClientRect();
    return width > 1 && (right > room.right + 1 || left < room.left - 1) ? [part.innerText || part.tagName] : [];
  });
})()`;

/** What axe finds in the four looks of a page, and what does not fit into its width. */
export async function faultsOf(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await axe(page)).map((each) => `${width} ${colorScheme}: ${each}`));
    }
    const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (over > 0) found.push(`${width}: ${over} px too wide`);
    found.push(...(await page.evaluate<string[]>(cut)).map((name) => `${width}: ${name} is cut`));
    const broken = await page.evaluate<string[]>(brokenCodes);
    found.push(...broken.map((code) => `${width}: ${code} is on two lines`));
  }
  return found;
}

/** Nothing is being read any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".progress").first().waitFor({ state: "hidden" });
}
