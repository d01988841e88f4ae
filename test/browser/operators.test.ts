/** The operators' pages: what a token may, credits by two persons, keys, decisions, and hostile names. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closeMonthBeforeLast } from "#test/support/closing.ts";
import { taxId } from "#test/support/invoices.ts";
import { openShopper } from "../local/shopper.ts";
import { faultsOf, settled } from "./looks.ts";
import { arriveAsOperator, command, heading, signInBy, tokenOf, write } from "./operating.ts";
import { newPhone, openBrowser, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const hostile = `<img src=x onerror="document.title='pwned'">=1+1`;

/** A new customer with 10 points. */
async function customer(name: string): Promise<string> {
  const { id } = await command("org", "create", "--name", name, "--points", "10");
  return String(id);
}

/** A customer who has paid for points and asks for an invoice, and who owes a decision about another payment. */
async function payer(): Promise<{ order: string; invoice: string }> {
  const gateway = { console_url: started.console, endpoints: { inbox: started.inbox } };
  const shopper = await openShopper(gateway, `+86${newPhone()}`, "Payer");
  const paid = await shopper.order("100.00", "pay");
  await expect
    .poll(async () => (await shopper.ask(`GET /api/v1/recharges/${paid}`)).state, { timeout: 90_000 })
    .toBe("credited");
  const title = { kind: "company", name: `${hostile} Ltd`, tax_id: taxId };
  const { id: invoice } = await shopper.ask("POST /api/v1/invoices", {
    ...{ orders: [paid], title, email: "finance@example.com" },
  });
  return { order: await shopper.order("50.00", "pay_another_amount"), invoice };
}

describe("a customer", () => {
  test("is found by a part of the name, and a name that is markup is a text everywhere", async () => {
    const id = await customer(hostile);
    await command("key", "create", "--org", id, "--mode", "payg", "--name", hostile);
    const { token } = await tokenOf("Xena", "support,finance");
    const { page, leave } = await arriveAsOperator(browser, token);
    await visit(page, "/operators/customers");
    await page.getByLabel("Search by name").fill("ONERROR");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("tbody a").first().waitFor();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(await page.locator("tbody a").first().innerText()).toBe(hostile);
    await page.locator("tbody a").first().click();
    await heading(page, hostile).waitFor();
    await page.locator("tbody th").first().waitFor();
    expect(await page.locator("tbody th").first().innerText()).toContain(hostile);
    await page.getByRole("button", { name: "Credit", exact: true }).click();
    expect(await page.locator("dialog h2").innerText()).toContain(hostile);
    expect(await page.evaluate("[document.images.length, document.title.includes('pwned')]")).toEqual([
      0,
      false,
    ]);
    await page.keyboard.press("Escape");
    await page.goBack();
    await expect.poll(() => page.locator("tbody a").first().isVisible()).toBe(true);
    await leave();
  });

  test("is credited at once, or by two persons, and each sees what will happen before", async () => {
    const id = await customer("Two Persons");
    const [ann, bob] = [await tokenOf("Ann", "finance"), await tokenOf("Bob", "finance")];
    const first = await arriveAsOperator(browser, ann.token);
    const credit = async (points: string, reference: string) => {
      await visit(first.page, "/operators/proposals");
      await visit(first.page, `/operators/customers/${id}`);
      await first.page.getByRole("button", { name: "Credit", exact: true }).click();
      await first.page.locator("dialog button[type=submit]").click();
      await first.page.getByText("Points are a number above or below 0").waitFor();
      await first.page.locator("dialog").getByLabel("Points").fill(points);
      await first.page.locator("dialog").getByLabel("Reference").fill(reference);
      return await write(first.page, "ticket 4711");
    };
    expect(await credit("50", "ui-small")).toContain("from 10.00 to 60.00 points");
    await first.page.getByText("50.00 points are booked under ui-small.").waitFor();
    expect(await credit("5000", "ui-large")).toContain("Another person has to confirm it");
    await first.page.getByText("5,000.00 points are proposed, and not booked.").waitFor();
    await first.page.getByRole("link", { name: "Open the proposal" }).click();
    await first.page.getByText("You have proposed it, so another person has to confirm it.").waitFor();
    expect(await first.page.getByRole("button", { name: "Confirm" }).count()).toBe(0);
    await first.leave();

    const { page, leave } = await arriveAsOperator(browser, bob.token);
    await page.locator("tbody a[href^='/operators/proposals/']").first().click();
    await page.getByRole("button", { name: "Confirm" }).click();
    expect(await write(page, "seen with the letter")).toContain("from 60.00 to 5,060.00 points");
    await page.getByText("The credit is booked.").waitFor();
    await page.locator("dd a[href^='/operators/customers/']").click();
    await page.getByText("5,060.00").waitFor();
    await page.locator("label:has-text('Credits')").click();
    await page.locator("tbody th:has-text('ui-large')").waitFor();
    await page.locator("label:has-text('Audit log')").click();
    await page.getByText("seen with the letter").first().waitFor();
    await leave();
  });

  test("is not credited by the second click of a double click", async () => {
    const id = await customer("Double Click");
    const { token } = await tokenOf("Dot", "finance");
    const { page, leave } = await arriveAsOperator(browser, token);
    await visit(page, `/operators/customers/${id}`);
    await page.getByRole("button", { name: "Credit", exact: true }).click();
    const written: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/credits")) written.push(request.url());
    });
    await page.locator("dialog").getByLabel("Points").fill("1");
    await page.locator("dialog").getByLabel("Reference").fill("double");
    await page.locator("dialog").getByLabel("Reason").fill("a test");
    await page.locator("dialog button[type=submit]").click();
    await page.locator("dialog .note").waitFor();
    const press = (detail: number) => `document.querySelector("dialog button[type=submit]")
      .dispatchEvent(new MouseEvent("click", { detail: ${detail}, bubbles: true, cancelable: true }))`;
    await page.evaluate(press(2));
    // What the click has asked is known by the next answer.
    await page.evaluate("fetch('/openapi.json').then(() => undefined)");
    expect(written).toEqual([]);
    expect(await page.locator("dialog").isVisible()).toBe(true);
    await page.evaluate(press(1));
    await page.locator("dd").getByText("11.00").waitFor();
    expect(written).toHaveLength(1);
    await leave();
  });

  test("has keys that support disables, enables and revokes; who may only read is told so", async () => {
    const id = await customer("Keys of Others");
    await command("key", "create", "--org", id, "--mode", "payg", "--name", "robot");
    const [support, reader] = [await tokenOf("Tom", "support"), await tokenOf("Rita", "read")];
    const { page, leave } = await arriveAsOperator(browser, support.token);
    await visit(page, `/operators/customers/${id}`);
    const acts = [
      ["Disable", "The key's next call is refused, until somebody enables it.", "disabled"],
      ["Enable", "The key's next call is taken.", "active"],
      ["Revoke", "can never be taken back", "revoked"],
    ] as const;
    for (const [act, told, state] of acts) {
      await page.getByRole("button", { name: `${act}: robot` }).click();
      expect(await write(page, "leaked")).toContain(told);
      await page.getByText(`The key robot is ${state} now.`).waitFor();
      await page.locator(`tbody .badge:has-text('${state}')`).waitFor();
    }
    await page.getByText("Credit takes a token with the scope finance.").waitFor();
    expect(await page.getByRole("button", { name: "Credit", exact: true }).count()).toBe(0);
    await leave();
    const reading = await arriveAsOperator(browser, reader.token);
    await visit(reading.page, `/operators/customers/${id}`);
    await reading.page.getByText("takes a token with the scope support.").waitFor();
    expect(await reading.page.locator("tbody button").count()).toBe(0);
    await reading.leave();
  });
});

test("an order in review and an invoice are found where they wait, and decided about", async () => {
  const { order, invoice } = await payer();
  const { token } = await tokenOf("Fay", "finance");
  const { page, leave } = await arriveAsOperator(browser, token);
  await page.locator(`tbody a[href$='${order}']`).click();
  await page.getByText("What is doubted").waitFor();
  await page.getByRole("button", { name: "Decide" }).click();
  await page.locator("dialog").getByText("Dismiss", { exact: true }).click();
  expect(await write(page, "paid twice")).toContain("Pay the money back at the platform.");
  await page.getByText("The order is closed now.").waitFor();
  await page.getByRole("link", { name: "Back to the list" }).click();
  await heading(page, "Orders in review").waitFor();
  await settled(page);
  expect(await page.locator(`tbody a[href$='${order}']`).count()).toBe(0);

  await visit(page, "/operators/invoices");
  await page.locator(`tbody a[href$='${invoice}']`).click();
  await page.locator("dd").getByText(`${hostile} Ltd`).waitFor();
  await page.getByRole("button", { name: "Issue" }).click();
  await page.locator("dialog button[type=submit]").click();
  await page.getByText("Write where the document is.").waitFor();
  await page.locator("dialog").getByLabel("Document").fill("26952000000012345678");
  expect(await write(page, "made today")).toContain("gets the next number of its series");
  await page.getByText("The invoice is issued now.").waitFor();
  await page.getByText("26952000000012345678").waitFor();
  expect(await page.getByRole("button", { name: "Reject" }).count()).toBe(0);
  await page.getByRole("link", { name: "Back to the list" }).click();
  await heading(page, "Invoices to issue").waitFor();
  await settled(page);
  expect(await page.locator(`tbody a[href$='${invoice}']`).count()).toBe(0);
  await leave();
});

test("closed months are listed, and one shows its accounts and what was checked", async () => {
  const { token } = await tokenOf("Fay", "read");
  const person = await arriveAsOperator(browser, token);
  const { page } = person;
  await visit(page, "/operators/months");
  await page.getByText("No month is closed yet").waitFor();
  const { month, outcome } = await closeMonthBeforeLast(started);
  await page.reload();
  await signInBy(page, token);
  await page.getByRole("link", { name: month }).click();
  await heading(page, "Accounts").waitFor();
  expect(await page.getByText(outcome.sha256).count()).toBe(1);
  expect(await page.getByText("Wallets of customers").count()).toBe(1);
  expect(await page.getByText("Bills are explained").count()).toBe(1);
  await settled(page);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Back to the list" }).click();
  await heading(page, "Closed months").waitFor();
  await person.leave();
});

test("channels and models are found by their names, and lead to each other", async () => {
  const { token } = await tokenOf("Oda", "ops");
  const person = await arriveAsOperator(browser, token);
  const { page } = person;
  await visit(page, "/operators/models");
  await page.getByLabel("Name or provider").fill("THREE-ways");
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  await page.locator("tbody a").first().click();
  await heading(page, "Prices in force").waitFor();
  await page.locator("tbody a[href^='/operators/channels/']").first().click();
  await page.getByText("Nobody has taken it out or in.").waitFor();
  await page.goBack();
  await page.goBack();
  await expect.poll(() => page.getByLabel("Name or provider").inputValue()).toBe("THREE-ways");
  await visit(page, "/operators/channels?q=three-ways+north");
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  person.expectRefusal("/models/");
  await visit(page, "/operators/models/%");
  await page.getByText("This does not exist").waitFor();
  await person.leave();
});
