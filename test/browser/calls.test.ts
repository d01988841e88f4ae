/** The list of calls: what is looked for in it, the way back from a receipt, and the one clock of all pages. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { timeOf } from "#shared/base/platform/id.ts";
import { faultsOf } from "./looks.ts";
import { arriveAsDemo, openBrowser, type Person, started, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
let person: Person;
let page: Page;
/** Of the calls below, the newest first. */
let ids: string[] = [];
const user = "a reader of 60 calls";

beforeAll(async () => {
  browser = await openBrowser();
  person = await arriveAsDemo(browser, { timezoneId: "America/Los_Angeles" });
  page = person.page;
  await visit(page, "/keys?new=1");
  await page.getByLabel("Name", { exact: true }).fill("many calls");
  await page.locator("dialog button[type=submit]").click();
  const secret = await page.getByLabel("Secret of the key").inputValue();
  await page.getByRole("button", { name: "I have kept it" }).click();
  const call = async () => {
    const answer = await fetch(`${started.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ model: "openai/gpt-5.4-mini", user, max_tokens: 5 },
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    return answer.headers.get("x-request-id") ?? "";
  };
  for (let turn = 0; turn < 6; turn++) ids.push(...(await Promise.all(Array.from({ length: 10 }, call))));
  ids = ids.toSorted().toReversed();
  // The last of them are settled.
  const headers = { authorization: `Bearer ${secret}` };
  await vi.waitFor(
    async () => {
      const asked = ids.map(async (id) =>
        (await fetch(`${started.gateway}/api/v1/requests/${id}`, { headers })).json(),
      );
      const receipts = (await Promise.all(asked)) as { status: string }[];
      expect(new Set(receipts.map(({ status }) => status))).toEqual(new Set(["settled"]));
    },
    { timeout: 30_000, interval: 500 },
  );
});
afterAll(async () => {
  await person.leave();
  await browser.close();
});

const rows = () => page.locator("tbody tr").count();
const scrolled = () => page.evaluate<number>("Math.round(scrollY)");
const search = async () => {
  await page.getByText("Look for a request, a time, a key").click();
  await page.getByLabel("User", { exact: true }).waitFor();
};

test("finds the calls of a user, of a key and of a time, and keeps all of it in the address", async () => {
  await visit(page, "/calls");
  await search();
  await page.getByLabel("User", { exact: true }).fill(user);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.waitForURL(/user=/);
  await page.getByRole("button", { name: "Show more" }).waitFor();
  expect(await rows()).toBe(50);
  await search();
  const key = page.getByRole("option", { name: /^many calls …/ }).first();
  await key.waitFor({ state: "attached" });
  await page.locator("form select").selectOption((await key.getAttribute("value")) ?? "");
  await page.getByLabel("Before (UTC)").fill("2026-01-02T03:04");
  await page.getByLabel("From (UTC)").fill("2026-01-01T00:00");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.waitForURL(/from=2026-01-01T00%3A00%3A00Z/);
  for (const part of ["to=2026-01-02T03%3A04%3A00Z", "key=key_", "user="]) expect(page.url()).toContain(part);
  await page.getByText("No calls").waitFor();
  await page.getByRole("button", { name: /Remove the filter Range: .*Jan 1, 2026, 12:00 AM UTC/ }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 1180, height: 800 });
});

test("keeps what nobody touched: the calls without a project, and a time with seconds", async () => {
  await visit(page, "/calls?project=&to=2026-01-02T03:04:05Z");
  await search();
  await page.getByLabel("User", { exact: true }).fill("nobody");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.waitForURL(/user=nobody/);
  const { searchParams } = new URL(page.url());
  expect([searchParams.get("project"), searchParams.get("to")]).toEqual(["", "2026-01-02T03:04:05Z"]);
});

test("finds one by its request id", async () => {
  await visit(page, "/calls");
  await search();
  await page.getByLabel("Request id").fill(` ${ids[3]} `);
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/calls/${ids[3]}$`));
  await page.locator(".figures-row").waitFor();
});

test.each(["the link", "the browser's button"])("leads back to the same place, by %s", async (way) => {
  // A list that is open already stays as it is.
  await visit(page, "/docs");
  await visit(page, `/calls?user=${encodeURIComponent(user)}`);
  await page.getByRole("button", { name: "Show more" }).click();
  const last = page.locator(`a[href="/calls/${ids[57]}"]`);
  await last.waitFor();
  expect(await rows()).toBe(60);
  await page.evaluate("scrollTo(0, 1500)");
  await expect.poll(scrolled).toBe(1500);
  let asked = 0;
  page.on("response", (answer) => {
    if (answer.url().includes("/api/v1/calls")) asked += 1;
  });
  await last.click();
  const at = await page.evaluate<number>("scrollY");
  await page.locator(".figures-row").waitFor();
  expect(await scrolled()).toBe(0);
  if (way === "the link") await page.getByRole("link", { name: "← All calls" }).click();
  else await page.goBack();
  await last.waitFor();
  expect([await rows(), asked, at]).toEqual([60, 0, 0]);
  expect(page.url()).toContain("user=");
  await expect.poll(scrolled).toBeGreaterThanOrEqual(1500);
  await page.locator(`a[href="/calls/${ids[57]}"]:focus`).waitFor();
});

test("shows all times by one clock, which is named, wherever the reader is", async () => {
  await visit(page, `/calls?user=${encodeURIComponent(user)}`);
  const link = page.locator("tbody a").first();
  const id = (await link.getAttribute("href"))?.split("/").at(-1) ?? "";
  await page.getByText("Time (UTC)").first().waitFor();
  const shown = await link.innerText();
  await link.click();
  await page.locator(".figures-row").waitFor();
  const started = await page.locator(".facts dd").nth(2).innerText();
  expect(shown).toContain(new Date(timeOf(id)).toISOString().slice(11, 19));
  expect(started).toMatch(/UTC$/);
  expect(await page.locator("main > .clock").innerText()).toBe("All times and days are UTC.");
});
