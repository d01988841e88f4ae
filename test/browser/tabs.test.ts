/** Two tabs of one session that show two organizations: what a tab pays is its own organization's. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { invited } from "./inviting.ts";
import { orderRecharge } from "./paying.ts";
import { arrive, navigation, newPhone, openBrowser, type Person, signIn, started } from "./person.ts";
import type { Answered, Browser, Context, Page } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const [hers, other] = ["Tara Tabs", "Otto Other"];

const shownIn = (page: Page) => page.locator(".names .faint").innerText();

/** Changes a tab's organization in the account's menu. */
async function change(page: Page, name: string): Promise<void> {
  await page.locator(".account-button").click();
  const options = page.locator("#account-menu option");
  const names = await Promise.all([options.nth(0).innerText(), options.nth(1).innerText()]);
  const at = names.findIndex((each) => each.startsWith(name));
  await page
    .locator("#account-menu select")
    .selectOption((await options.nth(at).getAttribute("value")) ?? "");
  await expect.poll(() => shownIn(page)).toContain(name);
}

/** The access token of a path's next call is said to have ended, as it does after ten minutes. */
async function endTokenOnce({ context, expectRefusal }: Person, path: RegExp): Promise<void> {
  expectRefusal("/api/v1/");
  let isEnded = false;
  await context.route(path, async (route) => {
    if (isEnded || route.request().postData() === null) return await route.continue();
    isEnded = true;
    const error = { type: "authentication_error", code: 40103, message: "It has ended." };
    await route.fulfill({ status: 401, contentType: "application/json", body: JSON.stringify({ error }) });
  });
}

/** The organization that a call's token was for. */
function paidFor(answer: Answered): string {
  const [, claims = ""] = (answer.request().headers().authorization ?? "").split(".");
  return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { org: string }).org;
}

/** The id of an organization of the session, by its name. */
async function organizationOf(context: Context, name: string): Promise<string> {
  const tab = await context.newPage();
  const read = tab.waitForResponse((answer) => answer.url().endsWith("/api/v1/account"));
  await tab.goto(started.console);
  const account = (await (await read).json()) as { organizations: { id: string; name: string }[] };
  await tab.close();
  return account.organizations.find((each) => each.name.startsWith(name))?.id ?? "none";
}

test("a payment goes to the organization that its tab shows, after another tab changed to another one", async () => {
  const person = await arrive(browser);
  const { page, context } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), hers);
  await page.goto(await invited(browser, other));
  await page.getByRole("button", { name: "Join" }).click();
  await expect.poll(() => shownIn(page)).toContain(other);
  const organization = await organizationOf(context, other);

  // The first tab is loaded anew, so that it has chosen nothing itself. The second one changes.
  await page.goto(`${started.console}/recharge`);
  await navigation(page);
  expect(await shownIn(page)).toContain(other);
  const second = await context.newPage();
  await second.goto(started.console);
  await navigation(second);
  await change(second, hers);

  await endTokenOnce(person, /\/api\/v1\/recharges$/);
  const ordered = page.waitForResponse(
    (answer) =>
      answer.url().endsWith("/recharges") && answer.request().method() === "POST" && answer.status() < 300,
  );
  await orderRecharge(page, "100");
  expect(paidFor(await ordered)).toBe(organization);
  expect(await shownIn(page)).toContain(other);
  expect(await shownIn(second)).toContain(hers);
  await person.leave();
});
