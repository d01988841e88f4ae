/** One customer's whole way: sign-up, key, playground, recharge, plan, invoice, statement, sign-out. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderRecharge, payOrder } from "./paying.ts";
import { arrive, newPhone, openBrowser, type Person, signIn, started, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

/** How soon an open page knows of a payment that no notice told of, milliseconds (console/README.md "Rules"). */
const knownMs = 5_000;

/** What the answers here have of the interface. */
interface Receipt {
  id: string;
  status: string;
  cost_points: string;
  lines: { points: string }[];
  entries: { points: string; debit: string; credit: string }[];
}

let browser: Browser;
let person: Person;
let page: Page;
/** The secret of the key that the person makes. */
let secret = "";
/** What the call that the wallet paid for has cost. */
let cost = "";

beforeAll(async () => {
  browser = await openBrowser();
  person = await arrive(browser);
  page = person.page;
});
afterAll(async () => {
  await person.leave();
  await browser.close();
});

/** Points as a whole number of 10⁻¹⁸. */
const exact = (points: string) => {
  const [whole = "0", part = ""] = points.replaceAll(",", "").split(".");
  return BigInt(whole + part.padEnd(18, "0"));
};

const shownCost = () => page.locator("section[aria-label=Answer] .amount").innerText();

/** Sends what the playground proposes. Gives the receipt, when the page shows its lines. */
async function tryModel(): Promise<Receipt> {
  const read = page.waitForResponse(
    (answer) => answer.url().includes("/api/v1/requests/") && answer.status() === 200,
  );
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("The answer is complete.").waitFor();
  await page.locator("section[aria-label=Answer] .amount").waitFor();
  const { id } = (await (await read).json()) as Receipt;
  const answer = await fetch(`${started.gateway}/api/v1/requests/${id}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  return (await answer.json()) as Receipt;
}

/** Words of the tables of a page that stand on two lines, at the width of printed A4. Ids may. */
async function brokenWords(html: string): Promise<string[]> {
  const paper = await person.context.newPage();
  await paper.setViewportSize({ width: 680, height: 1000 });
  await paper.goto(`data:text/html;base64,${Buffer.from(html).toString("base64")}`);
  const broken = await paper.evaluate<string[]>(`(() => {
    const cells = [...document.querySelectorAll("th, td:not(.id)")].filter(({ firstChild }) => firstChild);
    const range = document.createRange();
    return cells.flatMap(({ firstChild: text }) =>
      [...text.data.matchAll(/\\S+/g)].flatMap(({ 0: word, index }) => {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? [word] : [];
      }),
    );
  })()`);
  await paper.close();
  return broken;
}

describe("a customer", () => {
  test("signs up with the inbox's code, and makes a key that the plan pays for", async () => {
    await page.goto(started.console);
    await signIn(person, newPhone(), "Mona Money");
    await visit(page, "/keys?new=1");
    await page.getByLabel("Name", { exact: true }).fill("mona");
    // The wallet of a new organization is empty, so the form proposes what can pay.
    expect(await page.getByRole("radio", { name: /The plan/ }).isChecked()).toBe(true);
    await page.locator("dialog button[type=submit]").click();
    secret = await page.getByLabel("Secret of the key").inputValue();
    await page.getByRole("button", { name: "I have kept it" }).click();
    await page.getByText(`…${secret.slice(-4)}`).waitFor();
  });

  test("streams in the playground, which costs a call of the plan and no points", async () => {
    await visit(page, "/playground");
    const { status, cost_points } = await tryModel();
    expect([status, cost_points, await shownCost()]).toEqual(["settled", "0", "0"]);
    await page.getByRole("link", { name: "Open the whole receipt" }).click();
    await page.getByText("The call is paid by one call of the plan's quota.").waitFor();
  });

  test("recharges; the notice is lost, and the open page knows within five seconds", async () => {
    await visit(page, "/recharge");
    await orderRecharge(page, "100");
    expect(await page.locator("dialog [role=timer]").innerText()).toMatch(/^1[45]:\d\d left to pay$/);
    await payOrder(person, "Pay, lose the notice");
    const paidAt = performance.now();
    await page.getByText("100.00 points are in the wallet.").waitFor();
    expect(performance.now() - paidAt).toBeLessThan(knownMs);
    await page.getByRole("button", { name: "Done" }).click();
    await expect.poll(() => page.locator(".pay-figures .value").first().innerText()).toMatch(/^100\.00/);
    await page.getByRole("row", { name: /100\.00 points.*Credited/ }).waitFor();
  });

  test("streams again, and reads the same cost on the screen, on the receipt and in the ledger", async () => {
    await visit(page, "/playground");
    expect(await page.getByRole("radio", { name: "The wallet" }).isChecked()).toBe(true);
    const receipt = await tryModel();
    cost = receipt.cost_points;
    expect(exact(cost)).toBeGreaterThan(0n);
    expect(exact(await shownCost())).toBe(exact(cost));
    // The lines add up to it, and the ledger has booked it out of the wallet.
    const sum = receipt.lines.reduce((all, { points }) => all + exact(points), 0n);
    expect(sum).toBe(exact(cost));
    expect(receipt.entries.map(({ points }) => points)).toEqual([cost]);
    await visit(page, "/");
    const balance = page.locator(".figures-row .value span").first();
    await expect
      .poll(async () => exact((await balance.getAttribute("title")) ?? ""))
      .toBe(exact("100") - exact(cost));
  });

  test("pays a plan with points, once the wallet has enough of them", async () => {
    const choose = async () => {
      await visit(page, "/plan");
      await page.getByRole("button", { name: "Choose Lite" }).click();
      await page.getByText("Points of the wallet", { exact: true }).click();
    };
    await choose();
    await page.getByText("The wallet has not enough points for this.").waitFor();
    expect(await page.locator("dialog .row.end .button.main").count()).toBe(0);
    await page.keyboard.press("Escape");
    await visit(page, "/recharge");
    await orderRecharge(page, "50");
    await payOrder(person, "Pay");
    await page.getByText("50.00 points are in the wallet.").waitFor();
    await page.getByText(/Of this .*50\.00 can be paid back now/).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await choose();
    await page.getByRole("button", { name: "Pay 129.00 points" }).click();
    await page.getByText("The plan Lite is paid.").waitFor();
    await page.getByText(/Of this .* points can be paid back now/).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { name: /Your plan: Lite paid until/ }).waitFor();
  });

  test("renews the plan with money, and sees until when it is paid", async () => {
    await visit(page, "/plan");
    // The card says the price as the order asks it.
    expect(await page.locator(".plan .amount").nth(1).innerText()).toContain("129.00");
    await page.getByRole("button", { name: "Renew Lite" }).click();
    await page.locator("dialog .sum .total").waitFor();
    expect(await page.locator("dialog .sum .total dd").innerText()).toContain("129.00");
    await page.getByRole("button", { name: /^Pay .*129\.00/ }).click();
    await page.locator("dialog .qr").waitFor();
    await payOrder(person, "Pay");
    await page.getByText("The plan Lite is paid.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { name: /Your plan: Lite paid until/ }).waitFor();
  });

  test("books a larger plan for later, and sees both with the day of the change", async () => {
    await page.getByText("Yearly", { exact: true }).click();
    const looks = () =>
      page.evaluate(
        "[...document.querySelectorAll('.plan .button')].map((each) => each.className + ' ' + each.innerText)",
      );
    // What is proposed is the larger plan, and the same one again is a renewal.
    expect(await looks()).toEqual(["button plain Renew Lite", "button main Change to Pro"]);
    await page.getByRole("button", { name: "Change to Pro" }).click();
    await page.getByRole("button", { name: /^Pay .*5,988\.00/ }).click();
    await page.locator("dialog .qr").waitFor();
    await payOrder(person, "Pay");
    await page.getByText("The plan Pro is paid.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page
      .getByRole("heading", { name: /Your plan: Lite until .*, then Pro \(Yearly\) paid until/ })
      .waitFor();
  });

  test("asks for an invoice of all orders", async () => {
    await visit(page, "/invoices");
    await page.getByRole("heading", { name: /Invoice over .*6,267\.00/ }).waitFor();
    await page.getByRole("radio", { name: "A person" }).check({ force: true });
    await page.getByLabel("Name on the invoice").fill("Mona Money");
    await page.getByLabel("E-mail").fill("mona@example.com");
    await page.getByRole("button", { name: "Request the invoice" }).click();
    await page.getByRole("row", { name: /Mona Money .*6,267\.00.*Requested/ }).waitFor();
    // No order is left for the form. What the page says of the request stays.
    await page.getByText("Nothing to invoice").waitFor();
    await page.getByText("The invoice is requested. Its state shows below.").waitFor();
  });

  test("reads the statement, which ends with the balance", async () => {
    await visit(page, "/statements");
    await page.getByText("still running").waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: /^CSV of/ }).click();
    const csv = readFileSync(await (await saved).path(), "utf8");
    const numbers = csv.match(/\d+\.\d+/g)?.map(exact) ?? [];
    expect(numbers).toContain(exact("21") - exact(cost));
    const opened = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Page to print of/ }).click();
    const html = readFileSync(await (await opened).path(), "utf8");
    expect(html).toContain("Mona Money");
    expect(await brokenWords(html)).toEqual([]);
  });

  test("signs out, and the button back shows nothing of the account", async () => {
    await page.locator(".account-button").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goBack();
    await page.locator("input[type=tel]").waitFor();
    expect(await page.locator("nav a").count()).toBe(0);
    expect(await page.content()).not.toContain("Mona Money");
    expect(await page.evaluate("localStorage.getItem('signed-in')")).toBeNull();
  });
});
