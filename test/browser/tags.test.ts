/** Tags in the console: a key's own are typed where it is made, and usage is split by one, down to a call's receipt. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("usage is split by a tag, whose line leads to its calls, and they say the tag", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Tag Team");
  await visit(page, "/keys?new=1");
  await page.getByLabel("Name", { exact: true }).fill("tagged");
  await page.getByText("Limits and defaults of its own").click();
  await page.getByLabel("Tags", { exact: true }).fill("team=search, feature=rag");
  await page.locator("dialog button[type=submit]").click();
  const secret = await page.getByLabel("Secret of the key").inputValue();
  await page.getByRole("button", { name: "I have kept it" }).click();
  await page.locator("tr:has-text('tagged')").getByText("Tags: feature=rag,team=search").waitFor();

  const answer = await fetch(`${started.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "x-gateway-tags": "feature=chat",
    },
    body: JSON.stringify({
      model: "anthropic/claude-haiku-4-5",
      messages: [{ role: "user", content: "Say hello." }],
    }),
  });
  expect(answer.status).toBe(200);
  const id = answer.headers.get("x-request-id") ?? "";

  const receipt = async () => {
    const headers = { authorization: `Bearer ${secret}` };
    return await (await fetch(`${started.gateway}/api/v1/requests/${id}`, { headers })).json();
  };
  await expect.poll(receipt, { timeout: 10_000 }).toMatchObject({ status: "settled" });
  await visit(page, "/usage");
  await page.getByLabel("Tag", { exact: true }).fill("team");
  await page.getByLabel("Tag", { exact: true }).press("Enter");
  await page.getByRole("heading", { name: "Usage by tag team" }).waitFor();
  expect(new URL(page.url()).searchParams.get("by")).toBe("tag:team");
  await page.locator("table a:has-text('search')").click();
  await page.getByRole("button", { name: "Remove the filter Tag: team=search" }).waitFor();
  await page.locator(`a[href="/calls/${id}"]`).click();
  await page.getByText("feature=chat, team=search").waitFor();
  await person.leave();
});
