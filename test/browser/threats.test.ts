/** What others may try in a browser: names that are markup, forms of other sites, what a page could keep or leak. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { consolePages, operatorPages } from "#infra/bundles/console-pages.ts";
import { listen } from "#infra/local/emulators/listen.ts";
import { settled } from "./looks.ts";
import { arriveAsOperator, tokenOf } from "./operating.ts";
import { arrive, arriveAsDemo, navigation, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const hostile = `"><img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script>\${7*7}{{7*7}}'`;

/** The names that people, customers and providers choose. */
const named =
  /^(?:name|label|display_name|model|requested_model|project_id|user|provider|reason|message|title|email|why|reference)$/;

/** An answer in which every name is markup. Values that the page compares with are left alone. */
function poisoned(value: unknown, name = ""): unknown {
  if (typeof value === "string") return named.test(name) ? hostile : value;
  if (Array.isArray(value)) return value.map((each) => poisoned(each, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, poisoned(each, key)]));
}

/** Signs of markup that was taken for markup. */
const injected = (page: Page) =>
  page.evaluate<object>(`({
    images: document.querySelectorAll("img").length,
    scripts: document.querySelectorAll("script:not([src])").length,
    isPwned: document.title === "pwned",
  })`);

test("names that are markup are shown as text on every page", async () => {
  const person = await arriveAsDemo(browser);
  const { page, context } = person;
  let poisonedAnswers = 0;
  await context.route(/\/api\/v1\/(?!auth)/, async (route) => {
    const answer = await route.fetch();
    poisonedAnswers += 1;
    const body = JSON.stringify(poisoned(await answer.json().catch(() => ({}))));
    await route.fulfill({ status: answer.status(), contentType: "application/json", body });
  });
  for (const [, { path }] of consolePages()) {
    await visit(page, path);
    expect(await injected(page), path).toEqual({ images: 0, scripts: 0, isPwned: false });
  }
  expect(poisonedAnswers).toBeGreaterThan(5);
  await page.goto(`${started.console}/settings`);
  await navigation(page);
  expect(await page.locator(".names").innerText()).toContain("<img src=x");
  await context.unrouteAll({ behavior: "wait" });
  await person.leave();
});

test("names that are markup are shown as text to operators, too", async () => {
  const { token } = await tokenOf("Hal", "support,finance");
  const person = await arriveAsOperator(browser, token);
  const { page, context } = person;
  let poisonedAnswers = 0;
  await context.route(/\/api\/admin\/v1\//, async (route) => {
    const answer = await route.fetch();
    poisonedAnswers += 1;
    const body = JSON.stringify(poisoned(await answer.json()));
    await route.fulfill({ status: answer.status(), contentType: "application/json", body });
  });
  for (const [, { path }] of operatorPages()) {
    await visit(page, path);
    await settled(page);
    expect(await injected(page), path).toEqual({ images: 0, scripts: 0, isPwned: false });
  }
  await visit(page, "/operators/customers");
  await page.locator("tbody a").first().click();
  await page.locator("h1:has-text('<img src=x')").waitFor();
  expect(await injected(page)).toEqual({ images: 0, scripts: 0, isPwned: false });
  expect(poisonedAnswers).toBeGreaterThan(8);
  await context.unrouteAll({ behavior: "wait" });
  await person.leave();
});

test("markup that the organization itself is called is stored and shown as text", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  const name = `<b onmouseover=x>${"&amp;"}'"`;
  await signIn(person, newPhone(), name);
  expect(await page.locator(".names span").first().innerText()).toBe(name);
  expect(await injected(page)).toEqual({ images: 0, scripts: 0, isPwned: false });
  await person.leave();
});

describe("a session", () => {
  test("is a cookie that no script reads, and a token that nothing keeps", async () => {
    const person = await arrive(browser);
    const { page, context } = person;
    const tokens: string[] = [];
    page.on("response", (answer) => {
      const { authorization } = answer.request().headers();
      if (authorization) tokens.push(authorization.replace("Bearer ", ""));
    });
    await page.goto(started.console);
    await signIn(person, newPhone(), "Tess");
    const cookies = await context.cookies();
    expect(cookies).toMatchObject([
      { name: "__Host-session", httpOnly: true, secure: true, sameSite: "Strict" },
    ]);
    const token = tokens[0] ?? "";
    expect(token).toMatch(/^ey/);
    const kept = await page.evaluate<string>(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
    );
    expect(kept).not.toContain(token.slice(0, 40));
    expect(kept).not.toContain(cookies[0]?.value ?? "none");
    expect(await page.content()).not.toContain(token.slice(0, 40));
    await page.reload();
    await navigation(page);
    await person.leave();
  });

  test("that ends in one tab ends in the others", async () => {
    const person = await arrive(browser);
    const { page, context } = person;
    await page.goto(started.console);
    await signIn(person, newPhone(), "Tess");
    const other = await context.newPage();
    await other.goto(`${started.console}/usage`);
    await other.locator("h1").waitFor();
    await page.locator(".account-button").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.locator("input[type=tel]").waitFor();
    await other.locator("input[type=tel]").waitFor();
    expect(other.url()).toBe(`${started.console}/usage`);
    expect(await context.cookies()).toEqual([]);
    await person.leave();
  });

  test("of many tabs at once stays one that is signed in", async () => {
    const person = await arrive(browser);
    const { page, context } = person;
    await page.goto(started.console);
    await signIn(person, newPhone(), "Tess");
    const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(`${started.console}/limits`)));
    await Promise.all(tabs.map((tab) => navigation(tab)));
    await page.reload();
    await navigation(page);
    await person.leave();
  });

  test.each(["refresh", "sign-out"])("a form of another site cannot use it to %s", async (route) => {
    const form = `<form method=post action="${started.console}/api/v1/auth/${route}"><button>go</button></form>`;
    const site = await listen(
      createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(form)),
      0,
    );
    const person = await arrive(browser);
    const { page, context } = person;
    person.expectRefusal(`/auth/${route}`);
    person.expectRefusal(site.url.replace("127.0.0.1", "localhost"));
    await page.goto(started.console);
    await signIn(person, newPhone(), "Tess");
    const before = await context.cookies();
    // Another site, because the name is another one. Another port alone is the same site.
    await page.goto(site.url.replace("127.0.0.1", "localhost"));
    const answered = page.waitForResponse((answer) => answer.url().includes(`/auth/${route}`));
    await page.locator("button").click();
    const answer = await answered;
    expect(answer.request().headers().cookie).toBeUndefined();
    if (route === "refresh") expect(answer.status()).toBeGreaterThanOrEqual(400);
    expect(await context.cookies()).toEqual(before);
    await page.goto(started.console);
    await navigation(page);
    await person.leave();
    await site.stop();
  });

  test("a page of another site cannot frame the console", async () => {
    const site = await listen(
      createServer((_, response) =>
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(`<iframe src="${started.console}/"></iframe>`),
      ),
      0,
    );
    const person = await arrive(browser);
    const refused: string[] = [];
    person.page.on("console", (message) => refused.push(message.text()));
    await person.page.goto(site.url);
    await person.page.waitForLoadState("networkidle");
    expect(refused.join()).toMatch(/frame-ancestors|X-Frame-Options/);
    await person.context.close();
    await site.stop();
  });
});

test("a person is proved by work that a worker does, where the server asks for it", async () => {
  const person = await arrive(browser);
  const { page, context } = person;
  person.expectRefusal("/auth/code");
  const sent: { human?: string }[] = [];
  await context.route(/\/auth\/code$/, async (route) => {
    const body = JSON.parse(route.request().postData() ?? "{}") as { human?: string };
    sent.push(body);
    const human = { challenge: "abc.def.ghi", bits: 14 };
    const error = { type: "invalid_request_error", code: 40000, message: "Prove it.", human };
    await (body.human
      ? route.fulfill({ status: 202, body: JSON.stringify({ expires_in: 300, resend_in: 60 }) })
      : route.fulfill({ status: 400, contentType: "application/json", body: JSON.stringify({ error }) }));
  });
  await page.goto(started.console);
  await page.locator("input[type=tel]").fill(newPhone());
  await page.locator("button[type=submit]").click();
  await page.locator("input[autocomplete=one-time-code]").waitFor();
  expect(sent).toHaveLength(2);
  expect(sent[1]?.human).toMatch(/^abc\.def\.ghi\.[0-9a-z]+$/);
  const hash = createHash("sha256")
    .update(sent[1]?.human ?? "")
    .digest();
  expect(hash.readUInt16BE() >> 2).toBe(0);
  await person.leave();
});
