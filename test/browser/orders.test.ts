/** What pages say of orders whose state is rare: the answers of the API are changed on their way to the page. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { orderRecharge } from "./paying.ts";
import { arrive, newPhone, openBrowser, type Person, signIn, started, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

const anyOrder = /\/api\/v1\/recharges/;

let browser: Browser;
let person: Person;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  person = await arrive(browser);
  page = person.page;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Odd Orders");
  await visit(page, "/recharge");
  await orderRecharge(page, "10");
  await page.keyboard.press("Escape");
});
afterAll(async () => {
  await person.leave();
  await browser.close();
});

type Answer = Record<string, unknown> & { data?: object[] };

/** Opens the list of orders, and the dialog of its only one, as if the order were so. */
async function openAs(change: object) {
  await person.context.unrouteAll({ behavior: "wait" });
  await person.context.route(anyOrder, async (route) => {
    const told = (await (await route.fetch()).json()) as Answer;
    const data = told.data?.map((order) => ({ ...order, ...change }));
    const body = JSON.stringify(data ? { ...told, data } : { ...told, ...change });
    await route.fulfill({ status: 200, contentType: "application/json", body });
  });
  await visit(page, "/");
  await visit(page, "/recharge");
  await page.locator("tbody .button").first().click();
  await page.locator("dialog .badge").waitFor();
}

test("of which another amount was paid: that one, and the points that it was booked as", async () => {
  const paid = { paid: "9.99", credited_points: "9.99", booked_as: "points" };
  await openAs({ state: "credited", amount: "10.00", points: "10", ...paid });
  const dialog = await page.locator("dialog").innerText();
  expect(dialog).toContain("Pay for 9.99 points");
  expect(dialog).toMatch(/9\.99 instead of .*10\.00/);
  expect(dialog).toContain("9.99 points are in the wallet.");
  await page.keyboard.press("Escape");
  const row = await page.locator("tbody").innerText();
  expect(row).toContain("9.99 points");
  expect(row).toMatch(/instead of .*10\.00/);
});

test("in review: whether other money came than was ordered, or it was paid back", async () => {
  const note = () => page.locator("dialog .note.warn").innerText();
  await openAs({ state: "review", review: "differs" });
  expect(await note()).toContain("What was paid differs from the order");
  await page.keyboard.press("Escape");
  await openAs({ state: "review", review: "paid_back", booked_as: "points", credited_points: "10" });
  expect(await note()).toContain("The payment platform has paid money back");
  await page.keyboard.press("Escape");
});

test("without an invoice: as many as fit are chosen, and older ones are reached", async () => {
  const order = (n: number) => ({ order: `ord_${n}`, amount: "1.00", currency: "USD", paid_at: null });
  const pages = new Map([
    ["", { data: [], has_more: true, last_id: "a" }],
    ["a", { data: Array.from({ length: 21 }, (_, n) => order(n)), has_more: true, last_id: "b" }],
    ["b", { data: [order(21)], has_more: false, last_id: null }],
  ]);
  await person.context.route(/\/api\/v1\/invoices\/orders/, async (route) => {
    const asked = new URL(route.request().url()).searchParams.get("after") ?? "";
    const body = JSON.stringify({ object: "list", ...pages.get(asked) });
    await route.fulfill({ status: 200, contentType: "application/json", body });
  });
  await visit(page, "/invoices");
  await page.getByText("Nothing to invoice among the newest orders.").waitFor();
  const more = page.getByRole("button", { name: "Show more" });
  await more.click();
  await page.getByRole("heading", { name: /Invoice over .*20\.00/ }).waitFor();
  expect(await page.locator("tbody input:checked").count()).toBe(20);
  expect(await page.locator("tbody input:disabled").count()).toBe(1);
  await more.click();
  await page.locator("tbody tr").nth(21).waitFor();
  expect(await page.locator("tbody input:disabled").count()).toBe(2);
  // A company abroad has no tax id that must be named: only the name and the e-mail are missed.
  await page.getByRole("button", { name: "Request the invoice" }).click();
  await page.locator("input[aria-invalid=true]").first().waitFor();
  expect(await page.locator("input[aria-invalid=true]").count()).toBe(2);
});

test("an invoice shows the tax in it, and fits on a phone", async () => {
  const of = { id: "inv_1", number: "INV-2026-000123", state: "issued", amount: "1000.00", currency: "CNY" };
  const title = { kind: "company", name: "Odd Orders", tax_id: "91350100M000100Y43" };
  const tax = { name: "VAT", rate: "6", net: "943.40", tax: "56.60", reverse_charge: false };
  const none = { ...tax, rate: "0", net: "1000.00", tax: "0.00", reverse_charge: true };
  const at = "2026-11-02T03:04:05Z";
  const rest = {
    orders: ["ord_1"],
    title,
    email: "odd@example.com",
    created_at: at,
    issued_at: at,
    reason: null,
  };
  const data = [
    { ...of, ...rest, tax },
    { ...of, ...rest, id: "inv_2", tax: none },
    { ...of, ...rest, id: "inv_3", tax: null },
  ];
  await person.context.route(/\/api\/v1\/invoices\?|\/api\/v1\/invoices$/, async (route) => {
    const body = JSON.stringify({ object: "list", data, has_more: false, last_id: "inv_3" });
    await route.fulfill({ status: 200, contentType: "application/json", body });
  });
  await page.setViewportSize({ width: 390, height: 800 });
  await visit(page, "/");
  await visit(page, "/invoices");
  const list = 'section[aria-label="Invoices"]';
  await page.locator(`${list} tbody tr`).nth(2).waitFor();
  const amounts = await page.evaluate<string[]>(
    `[...document.querySelectorAll('${list} td.number')].map(({ innerText }) => innerText)`,
  );
  expect(amounts.map((text) => text.replaceAll("CN¥", "").split("\n"))).toEqual([
    ["1,000.00", "net 943.40", "VAT 6% 56.60"],
    ["1,000.00", "net 1,000.00", "reverse charge"],
    ["1,000.00"],
  ]);
  const over = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${list}'))`;
  expect(await page.evaluate<number>(over)).toBe(0);
});
