/** The page of models: what is looked for, by pointer and keyboard, and one model's own page with its way to a first call. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runProgram } from "#test/support/run-program.ts";
import { faultsOf, languages, settled } from "./looks.ts";
import { arriveAsDemo, openBrowser, type Person, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const rows = (page: Page) => page.locator("tbody tr");
const textsOf = (page: Page, selector: string) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ innerText }) => innerText)`,
  );
const ids = (page: Page) => textsOf(page, "tbody th code");
const focus = (page: Page, selector: string) =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
const open = async (page: Page, path: string) => {
  // A list that is open already would keep what was typed.
  await visit(page, "/docs");
  await visit(page, path);
  await settled(page);
};

describe("in English", () => {
  let person: Person;
  let page: Page;
  beforeAll(async () => {
    person = await arriveAsDemo(browser);
    page = person.page;
  });
  afterAll(() => person.leave());

  test("finds a model while its name is typed, and asks the server once", async () => {
    let asked = 0;
    page.on("response", (answer) => {
      if (answer.url().includes("/api/v1/models")) asked += 1;
    });
    await visit(page, "/keys");
    await visit(page, "/models");
    await rows(page).first().waitFor();
    expect(await rows(page).count()).toBe(50);
    await page.getByRole("button", { name: "Show more" }).click();
    expect(await rows(page).count()).toBe(150);
    await focus(page, "input[type=search]");
    await page.keyboard.type("Opus 4_8 bedrock");
    await page.getByText("No model is like that").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("claude OPUS 4.8");
    await page.waitForURL(/q=claude\+OPUS\+4\.8/);
    expect(await ids(page)).toContain("anthropic/claude-opus-4-8");
    expect(asked).toBe(1);
    expect(await page.locator("p[role=status]").innerText()).toMatch(/^\d of \d{3} models$/);
  });

  test("takes filters and the order by keyboard alone, and the address keeps all of it", async () => {
    await open(page, "/models?q=gpt");
    await focus(page, ".filters select");
    await page.keyboard.type("groq");
    await page.waitForURL(/vendor=groq/);
    const chip = page.getByRole("button", { name: "Reasoning" });
    // The eighth chip.
    await focus(page, ".chips .chip:nth-of-type(8)");
    await page.keyboard.press("Space");
    await page.waitForURL(/can=reasoning/);
    expect(await chip.getAttribute("aria-pressed")).toBe("true");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Reasoning");
    await page.getByLabel("Order", { exact: true }).selectOption("input");
    await page.waitForURL(/sort=input/);
    expect((await ids(page)).slice(0, 2)).toEqual(["groq/gpt-oss-20b", "groq/gpt-oss-safeguard-20b"]);
    await page.getByLabel("Input, at most").fill("0.08");
    await page.waitForURL(/price=0\.08/);
    expect(await ids(page)).not.toContain("groq/gpt-oss-120b");
    await page.reload();
    await rows(page).first().waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("gpt");
    expect(await ids(page)).toContain("groq/gpt-oss-20b");
  });

  test("says what is wrong with a price, and what to do where nothing is left", async () => {
    await open(page, "/models?price=cheap&vendor=nobody");
    await page.getByText("Points such as 0.5").waitFor();
    await page.getByText("No model is like that").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 800 });
    await page.getByRole("button", { name: "Take all filters away" }).click();
    await rows(page).first().waitFor();
    expect(new URL(page.url()).search).toBe("");
    expect(await page.getByLabel("Input, at most").inputValue()).toBe("");
  });

  test("leads to a model and back to the same place, and from a model to the playground with it", async () => {
    await open(page, "/models?q=glm&sort=name");
    const id = "zhipu/glm-5-1";
    const link = page.locator(`a[href="/models/${id}"]`);
    await link.click();
    await page.getByRole("link", { name: "← All models" }).click();
    await page.waitForURL(/q=glm/);
    await page.locator(`a[href="/models/${id}"]:focus`).waitFor();
    await link.click();
    await page.getByRole("heading", { name: "What it costs" }).waitFor();
    // It has a second host, which is asked when the first one fails.
    await expect
      .poll(() => textsOf(page, "section[aria-label='Who answers'] tbody th"))
      .toEqual([
        expect.stringMatching(/^zhipu\s+is asked first/),
        expect.stringMatching(/^fireworks\s+is asked when others fail/),
      ]);
    expect(await page.locator("section[aria-label=Program] code").innerText()).toContain(`"${id}"`);
    await page.getByRole("link", { name: "Try it in the playground" }).click();
    await page.locator(".try select").first().waitFor();
    expect(await page.locator(".try select").first().inputValue()).toBe(id);
    await page.getByRole("link", { name: "All about it" }).click();
    await page.getByRole("heading", { name: "What it costs" }).waitFor();
  });

  test("knows a model by its other names, and says so of none", async () => {
    await open(page, "/models/gpt-5.4-mini");
    expect(await page.locator(".lead code").innerText()).toBe("openai/gpt-5.4-mini");
    await open(page, "/models/acme/nothing");
    await page.getByText("There is no such model").waitFor();
  });

  test("a list that the browser has is not sent again", async () => {
    await open(page, "/models");
    await open(page, "/models");
    const sent = await page.evaluate<{ transferSize: number; decodedBodySize: number }[]>(
      `performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/api/v1/models"))
        .map(({ transferSize, decodedBodySize }) => ({ transferSize, decodedBodySize }))`,
    );
    // One that was broken off, because the reader went on, is read anew.
    const known = sent.filter(
      ({ transferSize, decodedBodySize }) => decodedBodySize > 200_000 && transferSize < 2_000,
    );
    expect(known.length).toBeGreaterThan(1);
  });

  test.each([
    ["embeddings", "openai/text-embedding-3-small", /^\[/],
    ["pictures", "openai/gpt-image-1.5", /^(https?:|[A-Za-z0-9+/]{20})/],
  ])("the program for %s runs as it stands there", async (_, id, printed) => {
    await visit(page, "/keys?new=1");
    await page.getByLabel("Name", { exact: true }).fill("a program");
    await page.locator("dialog button[type=submit]").click();
    const secret = await page.getByLabel("Secret of the key").inputValue();
    await page.getByRole("button", { name: "I have kept it" }).click();
    await open(page, `/models/${id}`);
    await page.getByText("JavaScript", { exact: true }).first().click();
    const program = await page.locator("section[aria-label=Program] code").innerText();
    expect(await runProgram(program, secret), program).toMatch(printed);
  });
});

describe.each(Object.entries(languages))("in %s", (_, locale) => {
  let person: Person;
  beforeAll(async () => {
    person = await arriveAsDemo(browser, { locale });
  });
  afterAll(() => person.leave());

  test.each([
    ["two hosts", "zhipu/glm-5-1"],
    ["ways with prices of their own", "openai/gpt-5.4"],
    ["pictures", "openai/gpt-image-1.5"],
    ["videos", "volcengine/doubao-seedance-1-5-pro-251215"],
  ])("a model of %s fits every look", async (_, id) => {
    const { page } = person;
    await open(page, `/models/${id}`);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 800 });
  });

  test("a price that will change is said in the list, and beside the price of now", async () => {
    const { page, context } = person;
    const id = "openai/gpt-5.4-mini";
    await context.route(/\/api\/v1\/models$/, async (route) => {
      const list = (await (await route.fetch()).json()) as {
        data: ({ id: string } & Record<string, unknown>)[];
      };
      const data = list.data.map((model) =>
        model.id === id
          ? { ...model, next_price: { from: "2031-12-15", price: model.price, discount_rate: "0.5" } }
          : model,
      );
      const body = JSON.stringify({ ...list, data });
      await route.fulfill({ status: 200, contentType: "application/json", body });
    });
    await open(page, "/models?q=gpt-5.4-mini");
    expect(await page.locator("tbody").innerText()).toMatch(/changes on Dec 15, 2031|2031年12月15日调价/);
    await open(page, `/models/${id}`);
    await page.getByRole("heading", { name: /From Dec 15, 2031 on|2031年12月15日起/ }).waitFor();
    expect(await textsOf(page, ".stack > p")).toContainEqual(expect.stringContaining("0.5"));
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 800 });
    await context.unrouteAll({ behavior: "wait" });
  });
});
