/** The first thing that a newcomer does: a key, and the programs of the docs page, which run as they stand there. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram } from "#test/support/run-program.ts";
import { arrive, newPhone, openBrowser, type Person, signIn, started, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const families = ["OpenAI", "Anthropic", "Google Gen AI", "Volcengine Ark", "Zhipu", "AWS"];

/** Signs up, and makes the key that the form proposes. Gives its secret. The docs page is open then. */
async function begin({ page, ...person }: Person): Promise<string> {
  await page.goto(started.console);
  await signIn({ page, ...person }, newPhone(), "Fia First");
  await visit(page, "/keys?new=1");
  await page.getByLabel("Name", { exact: true }).fill("first");
  await page.locator("dialog button[type=submit]").click();
  const secret = await page.getByLabel("Secret of the key").inputValue();
  await page.getByRole("link", { name: "How to call models with it" }).click();
  await page.getByRole("heading", { name: "Docs" }).waitFor();
  return secret;
}

/** The program that the page shows for an SDK. */
async function shown(page: Page, family: string, language: "Python" | "JavaScript"): Promise<string> {
  for (const choice of [family, language]) await page.getByText(choice, { exact: true }).first().click();
  return await page.locator("section[aria-label=Program] code").innerText();
}

const modelIn = (program: string) => /"((?:[a-z]+)\/[^"/]+)"/i.exec(program)?.[1];

// The Free plan takes three calls a minute, so each newcomer runs some of the programs.
test.each([families.slice(0, 3), families.slice(3)])(
  "the programs of %s run with the first key, and name a model that it may call",
  async (...mine) => {
    const person = await arrive(browser);
    const secret = await begin(person);
    const { page } = person;
    expect(await page.locator("section[aria-label='Command that sets the key'] code").innerText()).toBe(
      `export GATEWAY_KEY=${secret}`,
    );
    for (const family of mine.filter((each) => typeof each === "string")) {
      const program = await shown(page, family, "JavaScript");
      expect(await runProgram(program, secret), program).toMatch(/Say hello/);
      expect(modelIn(await shown(page, family, "Python"))).toBe(modelIn(program));
    }
    await person.leave();
  },
);

test("a key that was revoked is not shown any more", async () => {
  const person = await arrive(browser);
  const { page } = person;
  const secret = await begin(person);
  await visit(page, "/keys");
  await page.getByRole("button", { name: "Revoke first" }).click();
  await page.locator("dialog .button.danger").click();
  await page.locator("dialog").waitFor({ state: "hidden" });
  await visit(page, "/docs");
  await page.getByText("export GATEWAY_KEY=YOUR_KEY").waitFor();
  expect(await page.content()).not.toContain(secret);
  await person.leave();
});
