/** The defaults of a key: chosen where it is made, seen in the list, changed in a dialog, and told by the audit log. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("a key lets tools go from its first call on, until its owner changes that", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Dee Fault");
  await visit(page, "/keys?new=1");
  await page.getByLabel("Name", { exact: true }).fill("agent");
  await page.getByText("Limits and defaults of its own").click();
  await page.getByLabel("Tools that a model cannot run").selectOption("Leave them out");
  await page.locator("dialog button[type=submit]").click();
  const secret = await page.getByLabel("Secret of the key").inputValue();
  await page.getByRole("button", { name: "I have kept it" }).click();
  const row = page.locator("tr:has-text('agent')");
  await row.getByText("Tools that a model cannot run: Leave them out").waitFor();

  const answer = await fetch(`${started.gateway}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "anthropic/claude-haiku-4-5",
      input: "Say hello.",
      tools: [{ type: "local_shell" }],
    }),
  });
  expect([answer.status, answer.headers.get("x-gateway-dropped")]).toEqual([200, "tools.local_shell"]);

  await page.getByRole("button", { name: "Change agent" }).click();
  const dialog = page.locator("dialog");
  await dialog.getByText("Limits and defaults of its own").click();
  expect(await page.getByLabel("Tools that a model cannot run").inputValue()).toBe("tools");
  await page.getByLabel("Tools that a model cannot run").selectOption("Refuse the call");
  await page.getByLabel("Cache of Claude models").selectOption("Never");
  await dialog.locator("button[type=submit]").click();
  await dialog.waitFor({ state: "hidden" });
  await row.getByText("Cache of Claude models: Never").waitFor();
  expect(await row.getByText("Leave them out").count()).toBe(0);

  await visit(page, "/audit");
  const line = page.locator("tr:has-text('Key changed')");
  await line.waitFor();
  expect(await line.innerText()).toContain("allow_drop=tools");
  expect(await line.innerText()).toContain("cache_points=off");
  await person.leave();
});
