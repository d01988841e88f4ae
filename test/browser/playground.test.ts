/** The playground: several turns, two models side by side, pictures, and the longest answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { faultsOf, languages } from "./looks.ts";
import { arriveAsDemo, openBrowser, type Person, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface Sent {
  model: string;
  max_completion_tokens?: number;
  messages: { role: string; content: unknown }[];
}

/** A picture of one pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.each(Object.entries(languages))("in %s", (_, locale) => {
  let person: Person;
  let page: Page;
  let sent: Sent[];
  beforeAll(async () => {
    person = await arriveAsDemo(browser, { locale });
    page = person.page;
    await person.context.route(/\/v1\/chat\/completions$/, async (route) => {
      const text = route.request().postData();
      if (text !== null) sent.push(JSON.parse(text) as Sent);
      await route.continue();
    });
  });
  afterAll(() => person.leave());
  beforeEach(async () => {
    sent = [];
    await visit(page, "/docs");
    await visit(page, "/playground");
  });

  const prompt = () => page.locator(".try > .stack textarea");
  const send = () => page.locator(".try .button.main");
  const answers = () => page.locator(".try section[aria-label] .answer.done");
  const costs = () => page.locator(".try .amount");

  test("a second question goes with the first one and its answer, and a new conversation with neither", async () => {
    await send().click();
    await costs().first().waitFor();
    expect(await prompt().inputValue()).toBe("");
    await prompt().fill("And at night?");
    await page.keyboard.press("Control+Enter");
    await answers().nth(1).waitFor();
    await costs().first().waitFor();
    expect(sent[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(sent[1]?.messages[1]?.content).toBe(await answers().first().innerText());
    // The first turn has the way to its receipt, the last one all of its lines.
    expect([await costs().count(), await page.locator(`.try a[href^="/calls/"]`).count()]).toEqual([1, 2]);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 800 });
    await page.locator(".try .button.quiet").click();
    expect(await answers().count()).toBe(0);
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    await prompt().fill("Who are you?");
    await send().click();
    await costs().first().waitFor();
    expect(sent[2]?.messages).toEqual([{ role: "user", content: "Who are you?" }]);
  });

  test("two models are asked the same at once, and each has its own receipt", async () => {
    const beside = page.locator(".try .card select").nth(1);
    const other = await page
      .locator(".try .card select")
      .nth(1)
      .locator("option")
      .nth(1)
      .getAttribute("value");
    await beside.selectOption(other ?? "");
    await send().click();
    await costs().nth(1).waitFor();
    expect(new Set(sent.map(({ model }) => model)).size).toBe(2);
    expect(sent[0]?.messages).toEqual(sent[1]?.messages);
    const receipts = page.locator(`.try a[href^="/calls/"]`);
    expect(await receipts.first().getAttribute("href")).not.toBe(await receipts.nth(1).getAttribute("href"));
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 800 });
  });

  test("a picture goes with its question alone, and one that is too large does not go", async () => {
    await page.locator(".try .card select").first().selectOption("anthropic/claude-haiku-4-5");
    const files = page.locator(".try input[type=file]");
    const picture = (bytes: Buffer) => ({ name: "p.png", mimeType: "image/png", buffer: bytes });
    await files.setInputFiles([picture(Buffer.alloc(1_000_001)), picture(Buffer.from(pixel, "base64"))]);
    await page.locator(".try .pictures img").first().waitFor();
    expect(await page.locator(".try .pictures img").count()).toBe(1);
    expect(await page.locator(".try .field .wrong").allInnerTexts()).toContainEqual(
      expect.stringContaining("4"),
    );
    await send().click();
    await costs().first().waitFor();
    expect(sent[0]?.messages[0]?.content).toEqual([
      { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
      expect.objectContaining({ type: "text" }),
    ]);
    expect(await page.locator(".try .field .pictures img").count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 800 });
  });

  const select = (at: number) => page.locator(".try .card select").nth(at);
  const headings = () => page.locator(".try section[aria-label] h2").allInnerTexts();
  /** Asks, and waits until both or the one model have answered. */
  const askAs = async (text: string, allAnswers: number) => {
    await prompt().fill(text);
    await send().click();
    await answers()
      .nth(allAnswers - 1)
      .waitFor();
  };

  test("an answer keeps the name of the model that gave it, and a new model beside gets no other's answers", async () => {
    const name = (id: string) => page.locator(`.try .card option[value="${id}"]`).first().innerText();
    const [a, b, c] = ["anthropic/claude-haiku-4-5", "alibaba/qwen3-max", "novita/qwen3-max"] as const;
    const names = { a: await name(a), b: await name(b), c: await name(c) };
    expect(new Set(Object.values(names)).size).toBe(3);
    await select(0).selectOption(a);
    await select(1).selectOption(b);
    await askAs("One?", 2);
    await select(1).selectOption(c);
    await askAs("Two?", 4);
    expect(await headings()).toEqual([names.a, names.b, names.a, names.c]);
    const sentTo = (id: string) =>
      sent.filter(({ model }) => model === id).map(({ messages }) => messages.length);
    expect([sentTo(a), sentTo(b), sentTo(c)]).toEqual([[1, 3], [1], [1]]);
    await select(0).selectOption(b);
    await askAs("Three?", 6);
    expect((await headings()).slice(4)).toEqual([names.b, names.c]);
    expect([sentTo(b), sentTo(c)]).toEqual([
      [1, 5],
      [1, 3],
    ]);
    // The two have one name in the catalog.
    await costs().nth(1).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 800 });
  });

  /** A picture of so many bytes, and no fewer than a pixel takes. */
  const image = (bytes: number) => ({
    ...{ name: "p.png", mimeType: "image/png" },
    buffer: Buffer.concat([Buffer.from(pixel, "base64"), Buffer.alloc(bytes)], Math.max(bytes, pixel.length)),
  });
  const chosen = () => page.locator(".try .field .pictures img");

  test("pictures wait while a model does not see, which also gets none of earlier questions", async () => {
    await select(0).selectOption("anthropic/claude-haiku-4-5");
    await page.locator(".try input[type=file]").setInputFiles([image(0)]);
    await chosen().first().waitFor();
    await askAs("What is it?", 1);
    await page.locator(".try input[type=file]").setInputFiles([image(0)]);
    await chosen().first().waitFor();
    await select(0).selectOption("alibaba/qwen3-max");
    await page.locator(".try > .stack .stack > .hint").waitFor();
    await askAs("Are you sure?", 2);
    expect(sent[1]?.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      "What is it?",
      "Are you sure?",
    ]);
    await select(0).selectOption("anthropic/claude-haiku-4-5");
    await chosen().first().waitFor();
    await askAs("And this?", 3);
    const kinds = sent[2]?.messages.map(({ content }) => (typeof content === "string" ? "text" : "picture"));
    expect(kinds).toEqual(["picture", "text", "text", "text", "picture"]);
  });

  test("a picture without room in the conversation is refused at its field, and the focus stays near one taken away", async () => {
    await select(0).selectOption("anthropic/claude-haiku-4-5");
    const files = page.locator(".try input[type=file]");
    await files.setInputFiles([image(0), image(0), image(0)]);
    await chosen().nth(2).waitFor();
    const focused = () => page.evaluate<string>("document.activeElement.tagName");
    const remove = page.locator(".try .field .pictures button");
    await remove.first().click();
    expect([await chosen().count(), await focused()]).toEqual([2, "BUTTON"]);
    await remove.nth(1).click();
    expect([await chosen().count(), await focused()]).toEqual([1, "INPUT"]);
    expect(await files.getAttribute("aria-describedby")).toBe(null);
    await files.setInputFiles([image(1_000_000), image(1_000_000), image(1_000_000)]);
    const told = page.locator(".try .field .wrong:has-text('3 MB')");
    await told.waitFor();
    expect(await chosen().count()).toBe(3);
    expect(await files.getAttribute("aria-describedby")).toBe(await told.getAttribute("id"));
  });

  test("the longest answer is bounded by the model's, and sent", async () => {
    const most = page.locator(".try .card input[inputmode=numeric]");
    await most.fill("999999999");
    await page.locator(".try .card input[aria-invalid=true]").waitFor();
    await prompt().press("Control+Enter");
    expect(sent).toEqual([]);
    await most.fill("16");
    await send().click();
    await costs().first().waitFor();
    expect(sent[0]?.max_completion_tokens).toBe(16);
  });

  test("the keys of the page, whose name is long, leave their buttons room on a phone", async () => {
    const name = "Experimentierwerkstatt";
    await person.context.route(/\/api\/v1\/keys(?:\?|$)/, async (route) => {
      const list = (await (await route.fetch()).json()) as { data: object[] };
      const body = JSON.stringify({ ...list, data: list.data.map((key) => ({ ...key, name })) });
      await route.fulfill({ status: 200, contentType: "application/json", body });
    });
    await visit(page, "/keys");
    await page.getByText(name).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 800 });
    await person.context.unrouteAll({ behavior: "wait" });
  });
});
