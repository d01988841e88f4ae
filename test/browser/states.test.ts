/**
 * What pages show besides their usual content: nothing yet, dialogs, answers, things that are wrong. Each in two languages
 * and every look (looks.ts). The money is of a customer who has just paid.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, languages, settled } from "./looks.ts";
import { orderRecharge, payOrder } from "./paying.ts";
import { arrive, codeFor, newPhone, openBrowser, type Person, started, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const fits = async (page: Page) => expect(await faultsOf(page)).toEqual([]);

/** Where it was before the looks. */
const onDesk = (page: Page) => page.setViewportSize({ width: 1180, height: 800 });

const closeDialog = async (page: Page) => {
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "hidden" });
};

describe.each(Object.entries(languages))("in %s", (_, locale) => {
  let person: Person;
  let page: Page;
  beforeAll(async () => {
    person = await arrive(browser, { locale });
    page = person.page;
  });
  afterAll(() => person.leave());

  test("a wrong phone, a wrong code and the name of a newcomer", async () => {
    const phone = newPhone();
    person.expectRefusal("/auth/sign-in");
    await page.goto(started.console);
    await page.locator("button[type=submit]").click();
    await page.locator("input[aria-invalid=true]").waitFor();
    await fits(page);
    await page.locator("input[type=tel]").fill(phone);
    await page.locator("button[type=submit]").click();
    const field = page.locator("input[autocomplete=one-time-code]");
    await field.waitFor();
    const code = await codeFor(`+86${phone}`);
    await field.fill(code === "000000" ? "000001" : "000000");
    await page.locator("button[type=submit]").click();
    await page.locator(".note.bad").waitFor();
    await fits(page);
    await field.fill(code);
    await page.locator("button[type=submit]").click();
    await page.locator("input[autocomplete=name]").waitFor();
    await fits(page);
    await page.locator("input[autocomplete=name]").fill("Stella State");
    await page.locator("button[type=submit]").click();
    await page.locator(".empty h2").waitFor();
  });

  test.each(["/", "/usage", "/calls", "/keys", "/limits"])(
    "%s of a newcomer, which has nothing yet",
    async (path) => {
      await visit(page, path);
      await settled(page);
      await page.locator(".empty").first().waitFor();
      await fits(page);
    },
  );

  test("the dialogs of a key: made, kept, changed, rotated and revoked", async () => {
    await visit(page, "/keys?new=1");
    await page
      .locator("dialog input")
      .first()
      .fill("a key whose name is as long as some people make the names of keys");
    await page.locator("dialog .button.main").click();
    await page.locator("dialog .secret").waitFor();
    await fits(page);
    await page.locator("dialog .button.main").click();
    await page.locator("dialog").waitFor({ state: "hidden" });
    await page.locator("tbody tr:first-child .button").first().click();
    await page.locator("dialog .button.main").waitFor();
    await fits(page);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "hidden" });
    await page.locator("tbody tr:first-child .button:nth-child(2)").first().click();
    await page.locator("dialog select").waitFor();
    await fits(page);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "hidden" });
    await page.locator("tbody tr:first-child .button:last-child").first().click();
    await page.locator("dialog .danger").waitFor();
    await fits(page);
    await page.locator("dialog .danger").click();
    await page.locator("dialog").waitFor({ state: "hidden" });
    await page.locator(".chip").click();
    await fits(page);
  });

  test("an order that waits for its payment, one that is credited, and the list of both", async () => {
    await visit(page, "/recharge");
    await page.locator(".pay-form input[inputmode=decimal]").fill("0");
    await page.locator(".pay-form button[type=submit]").click();
    await page.locator("input[aria-invalid=true]").waitFor();
    await fits(page);
    await onDesk(page);
    await orderRecharge(page, "20");
    await fits(page);
    await onDesk(page);
    await payOrder(person, "Pay");
    await page.locator("dialog .note.good").waitFor();
    await fits(page);
    await closeDialog(page);
    await page.locator("tbody .badge.good").waitFor();
    await fits(page);
  });

  test("the quote of a plan", async () => {
    await visit(page, "/plan");
    await page.locator(".plan .button.main").first().click();
    await page.locator("dialog .sum .total").waitFor();
    await fits(page);
    await closeDialog(page);
  });

  test("the request of an invoice, what is wrong with it, and the list", async () => {
    await visit(page, "/invoices");
    const send = page.locator("form button[type=submit]");
    await send.click();
    await page.locator("input[aria-invalid=true]").first().waitFor();
    await fits(page);
    await page.locator("input[autocomplete=organization]").fill("Stella State");
    await page.locator("input[maxlength='30']").fill("9144030071526726XG");
    await page.locator("input[type=email]").fill("stella@example.com");
    await send.click();
    await page.locator("tbody .badge.warn").waitFor();
    await fits(page);
    await visit(page, "/statements");
    await page.locator("tbody .button").first().waitFor();
    await fits(page);
    await visit(page, "/audit");
    await page.locator("tbody tr").first().waitFor();
    await fits(page);
  });

  test("an answer in the playground with what it cost, and the receipt of it", async () => {
    await visit(page, "/playground");
    await page.locator(".try .button.main").click();
    await page.locator(".try .amount").waitFor();
    await fits(page);
    await page.locator(`.try a[href^="/calls/"]`).first().click();
    await page.locator(".figures-row").waitFor();
    await fits(page);
  });

  test("the invitation of a member, and its link", async () => {
    await visit(page, "/members");
    // The only owner can neither leave nor get another role, and the page says why before it is tried.
    await page.locator("tbody .button[aria-disabled=true]").nth(1).waitFor();
    expect(await page.evaluate("document.querySelector('tbody').textContent")).toMatch(
      /The last owner stays|必须保留一位所有者/,
    );
    await page.locator(".sheet-head .button.main").click();
    await page.locator("dialog .button.main").waitFor();
    await fits(page);
    await page.locator("dialog .button.main").click();
    await page.locator("dialog .secret").waitFor();
    await fits(page);
    await page.locator("dialog .button.main").click();
    await page.locator("dialog").waitFor({ state: "hidden" });
    await fits(page);
  });

  test("what needs attention: a balance that is nearly spent, a plan that ends and one that has ended", async () => {
    const { context } = person;
    await context.route(/\/usage\/summary$/, async (route) => {
      const summary = (await (await route.fetch()).json()) as object;
      const at = "2026-12-01T00:00:00Z";
      const alerts = [
        { kind: "low_balance", days_left: 1 },
        { kind: "plan_ends", at },
        { kind: "plan_ended", at },
      ];
      const body = JSON.stringify({ ...summary, alerts, days_left: 1 });
      await route.fulfill({ status: 200, contentType: "application/json", body });
    });
    await visit(page, "/");
    await page.locator(".notes .warn").nth(2).waitFor();
    // Days begin at midnight of UTC, and the figures of today say so.
    expect(await page.evaluate("document.querySelector('.lead').textContent")).toContain("UTC");
    await fits(page);
    await context.unrouteAll({ behavior: "wait" });
  });

  test("an answer that is an error, an address without a page, and a call that nobody made", async () => {
    person.expectRefusal("/api/v1/");
    person.expectRefusal("/nowhere");
    await page.goto(`${started.console}/nowhere`);
    await page.locator(".empty h1").waitFor();
    await fits(page);
    await visit(page, "/calls/req_nobody");
    await page.locator(".note.bad").waitFor();
    await fits(page);
    await person.context.route(/\/api\/v1\/usage\//, (route) =>
      route.fulfill({ status: 500, headers: { "x-request-id": "req_of_the_failure" }, body: "{}" }),
    );
    await visit(page, "/");
    await page.locator(".note.bad").first().waitFor();
    await fits(page);
  });
});
