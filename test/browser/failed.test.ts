/** The receipts of a call that was refused and of one that failed: why, what each provider gave, and what to do. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settledReceipt } from "#shared/books/reports/receipt.ts";
import { eventOf, walletHold } from "#test/support/store.ts";
import { entryOf } from "#test/support/traces.ts";
import { faultsOf, languages, settled } from "./looks.ts";
import { arriveAsDemo, openBrowser, type Person, started, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
/** The id of a call that was refused. */
let refused = "";

beforeAll(async () => {
  browser = await openBrowser();
  const { page, leave } = await arriveAsDemo(browser);
  await visit(page, "/keys?new=1");
  await page.getByLabel("Name", { exact: true }).fill("refused calls");
  await page.locator("dialog button[type=submit]").click();
  const secret = await page.getByLabel("Secret of the key").inputValue();
  const answer = await fetch(`${started.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "acme/none", messages: [{ role: "user", content: "Hi" }] }),
  });
  expect(answer.status).toBe(404);
  refused = answer.headers.get("x-request-id") ?? "";
  await leave();
});
afterAll(() => browser.close());

/** What the pages say in each language. */
const told = {
  en: { refused: "Refused", advice: /Compare the model's name/, gave: "limits how often we ask 429" },
  zh: { refused: "被拒绝", advice: /请核对模型名称/, gave: "限制了频率 429" },
};

describe.each(Object.entries(languages))("in %s", (language, locale) => {
  const words = told[language as keyof typeof told];
  let person: Person;
  let page: Page;
  beforeAll(async () => {
    person = await arriveAsDemo(browser, { locale });
    page = person.page;
  });
  afterAll(() => person.leave());
  const textOf = () => page.evaluate<string>("document.querySelector('main').innerText");

  test("a refused call is found by its id, and in the list of those that were refused", async () => {
    await visit(page, "/calls?outcome=refused&code=40400");
    await page.locator(`a[href="/calls/${refused}"]`).click();
    await page.locator(".note.warn").waitFor();
    for (const text of [words.refused, "40400 · HTTP 404", "acme/none"])
      expect(await textOf()).toContain(text);
    expect(await textOf()).toMatch(words.advice);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a failed call says what each provider gave", async () => {
    const hold = walletHold("mtr_1", "1");
    const id = hold.request;
    const attempts = [
      { provider: "acme", outcome: "limited", status: 429, ms: 31 },
      { provider: "other", outcome: "fault", ms: 30_000, model: "test/model-0" },
    ] as const;
    const event = eventOf(hold, "0", {
      ...{ outcome: "failed", error: "upstream_error", calls: 0, attempts: 2 },
      route: { routing: "smart", why: "failover", of: 2, attempts: [...attempts] },
    });
    const body = JSON.stringify(settledReceipt([entryOf(event)]));
    const asked = new RegExp(`/api/v1/requests/${id}$`);
    await person.context.route(asked, (route) =>
      route.fulfill({ status: 200, contentType: "application/json", body }),
    );
    await visit(page, `/calls/${id}`);
    await settled(page);
    for (const text of ["50001 · HTTP 500", words.gave, "test/model-0"])
      expect(await textOf()).toContain(text);
    expect(await faultsOf(page)).toEqual([]);
  });
});
