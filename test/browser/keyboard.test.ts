/** By keyboard alone: sign in, make a key, order a recharge. Nothing here points or clicks. */
import { expect, test } from "vitest";
import { arrive, codeFor, newPhone, openBrowser, started } from "./person.ts";
import type { Page } from "./playwright.ts";

/** More than all that can have the focus on a page. */
const stopsMax = 60;

/** What has the focus: its role's element and its name. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(() => { const at = document.activeElement; if (!at) return "";
      const label = at.labels?.[0]?.textContent || at.ariaLabel || at.textContent || "";
      return at.localName + " " + label.trim(); })()`,
  );

/** Whether what has the focus is outlined: itself, the frame of its field, or the card that stands for a radio button. */
const isOutlined = `[at.parentElement, at, at.nextElementSibling].some(
  (each) => each && getComputedStyle(each).outlineStyle === "solid")`.replace(
  /\bat\b/g,
  "document.activeElement",
);

/** Presses a key until what has this name has the focus. */
async function goTo(page: Page, wanted: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < stopsMax; stop++) {
    const now = await focused(page);
    if (wanted.test(now)) {
      expect(await page.evaluate<boolean>(isOutlined), `the focus is seen on ${now}`).toBe(true);
      return;
    }
    passed.push(now);
    await page.keyboard.press(key);
  }
  throw new Error(`${wanted} was not reached from ${passed.join(", ")}`);
}

test("somebody signs up, makes a key and orders a recharge with the keyboard alone", async () => {
  const browser = await openBrowser();
  const person = await arrive(browser);
  const { page } = person;
  const { keyboard } = page;
  person.expectRefusal("/auth/sign-in");
  const phone = newPhone();
  await page.goto(started.console);
  await page.locator("input[type=tel]").waitFor();

  await goTo(page, /^input Phone number/);
  await keyboard.type(phone);
  await keyboard.press("Enter");
  // Each step of the sign-in has the focus where one types.
  await expect.poll(() => focused(page)).toMatch(/^input .*[Cc]ode/);
  await keyboard.type(await codeFor(`+86${phone}`));
  await keyboard.press("Enter");
  await expect.poll(() => focused(page)).toMatch(/^input .*[Nn]ame/);
  await keyboard.type("Kay Board");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();

  await goTo(page, /^a API keys$/);
  await keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("h1 API keys");
  await goTo(page, /^button Create a key$/);
  await keyboard.press("Enter");
  await expect.poll(() => focused(page)).toMatch(/^input Name/);
  await keyboard.type("by keyboard");
  await keyboard.press("Enter");
  await expect.poll(() => focused(page)).toMatch(/^input Secret of the key/);
  await goTo(page, /^button I have kept it$/);
  await keyboard.press("Enter");
  await page.locator("dialog").waitFor({ state: "hidden" });
  await page.getByRole("row", { name: /by keyboard/ }).waitFor();
  await expect.poll(() => focused(page)).toBe("button Create a key");

  await goTo(page, /^a Recharge$/, "Shift+Tab");
  await keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("h1 Recharge");
  await goTo(page, /^input Alipay/);
  // The arrow keys choose among the ways to pay.
  await keyboard.press("ArrowRight");
  await expect.poll(() => focused(page)).toMatch(/^input WeChat Pay/);
  await goTo(page, /^button .*500$/);
  await keyboard.press("Enter");
  await goTo(page, /^button Pay .*500\.00$/);
  await keyboard.press("Enter");
  await page.locator("dialog .qr").waitFor();
  await goTo(page, /^a Or open the payment page/);
  await keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "hidden" });
  await expect.poll(() => focused(page)).toMatch(/^button Pay/);
  await page.getByRole("row", { name: /500\.00 points.*Waiting for payment/ }).waitFor();

  await person.leave();
  await browser.close();
});
