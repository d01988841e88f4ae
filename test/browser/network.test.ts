/** A bad network: that a page says it is reading, what went wrong, and how to go on. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf } from "./looks.ts";
import { arrive, navigation, newPhone, openBrowser, type Person, signIn, started, visit } from "./person.ts";
import type { Browser, Page, Route } from "./playwright.ts";

/** A slow mobile network: 2 Mbit/s, and 800 ms until an answer begins. */
const slow = { offline: false, latency: 800, downloadThroughput: 250_000, uploadThroughput: 250_000 };

/** How soon something must move on the screen, milliseconds (console/README.md "Rules"). */
const progressMs = 500;

let browser: Browser;
let person: Person;
beforeAll(async () => {
  browser = await openBrowser();
  person = await arrive(browser);
  await person.page.goto(started.console);
  await signIn(person, newPhone(), "Sam Slow");
  // The pages' code is here from now on.
  await visit(person.page, "/limits");
});
afterAll(async () => {
  await person.leave();
  await browser.close();
});

/** Opens a page as a link does, and waits for nothing. */
const open = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, "", "${path}"); dispatchEvent(new PopStateEvent("popstate")); 0`);

describe("on a slow network", () => {
  test("a page shows that it is reading within half a second, and then what it read", async () => {
    const { page, context } = person;
    const protocol = await context.newCDPSession(page);
    await protocol.send("Network.enable");
    await protocol.send("Network.emulateNetworkConditions", slow);
    const begun = performance.now();
    await open(page, "/calls");
    await page.locator(".progress").waitFor();
    // It fades in, so that a quick answer does not flicker.
    await expect
      .poll(() => page.evaluate("getComputedStyle(document.querySelector('.progress')).opacity"))
      .toBe("1");
    expect(performance.now() - begun).toBeLessThan(slow.latency);
    await page.getByText("No calls").waitFor();
    await protocol.send("Network.emulateNetworkConditions", {
      ...slow,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  });

  test("a first visit shows that it is coming, before the script is there", async () => {
    const newcomer = await arrive(browser);
    const { page, context } = newcomer;
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    await context.route(/main-[^/]*\.js$/, async (route) => {
      await gone;
      await route.continue();
    });
    await page.goto(started.console, { waitUntil: "commit" });
    const spinner = "getComputedStyle(document.querySelector('#app'), '::before')";
    await expect
      .poll(() => page.evaluate(`document.querySelector('#app') && ${spinner}.animationName`))
      .toMatch(/turn/);
    await expect.poll(() => page.evaluate(`${spinner}.opacity`), { timeout: 4 * progressMs }).toBe("1");
    go();
    await page.locator("input[type=tel]").waitFor();
    await newcomer.leave();
  });
});

describe("without a network", () => {
  test("a page says so, and reads again when it is told to", async () => {
    const { page, context, expectRefusal } = person;
    expectRefusal("/api/");
    await context.setOffline(true);
    await open(page, "/limits");
    const note = page.locator(".note.bad").first();
    await note.getByText("No connection").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await context.setOffline(false);
    await note.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Plan Free" }).waitFor();
    expect(await page.locator(".note.bad").count()).toBe(0);
  });

  test("a page whose code does not come says so, and is loaded again when it is told to", async () => {
    const other = await arrive(browser, { storageState: await person.context.storageState() });
    const { page, context } = other;
    await page.goto(`${started.console}/`);
    await page.getByRole("heading", { name: "No calls yet" }).waitFor();
    await page.waitForLoadState("networkidle");
    other.expectRefusal("/assets/");
    other.expectRefusal("/api/");
    await context.setOffline(true);
    await page.getByRole("link", { name: "Usage", exact: true }).click();
    await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await context.setOffline(false);
    await page.getByRole("button", { name: "Load the page again" }).click();
    await page.getByRole("heading", { name: "Usage", exact: true }).waitFor();
    // The session goes on where it was left: a refresh token is good once.
    await other.leave();
  });
});

describe("the language", () => {
  const marked = (page: Page, name: string) => page.getByRole("radio", { name }).isChecked();
  let reader: Person;
  beforeAll(async () => {
    reader = await arrive(browser);
    await reader.page.goto(started.console);
    await signIn(reader, newPhone(), "Lin");
    await visit(reader.page, "/settings");
  });
  afterAll(() => reader.leave());

  test("says that it was not changed, and can be changed then", async () => {
    const { page, context, expectRefusal } = reader;
    expectRefusal("/assets/");
    await context.setOffline(true);
    await page.locator("#content").getByText("中文", { exact: true }).click();
    await page.locator(".note.bad").getByText("No connection").waitFor();
    expect([await marked(page, "English"), await marked(page, "中文")]).toEqual([true, false]);
    expect(await faultsOf(page)).toEqual([]);
    await context.setOffline(false);
    await page.locator(".note.bad").getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "设置" }).waitFor();
    expect(await page.locator(".note.bad").count()).toBe(0);
    await page.locator("#content").getByText("English", { exact: true }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
  });

  test("shows progress while its words come, and stays marked", async () => {
    const newcomer = await arrive(browser);
    const { page, context } = newcomer;
    await page.goto(started.console);
    await page.locator("input[type=tel]").waitFor();
    await page.waitForLoadState("networkidle");
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    await context.route(/\/assets\/.*\.js$/, async (route) => {
      await gone;
      await route.continue();
    });
    await page.locator("#content").getByText("中文", { exact: true }).click();
    await page.locator(".waiting.on").waitFor();
    await page.getByText("Dark", { exact: true }).click();
    expect(await marked(page, "Dark")).toBe(true);
    expect(await marked(page, "中文")).toBe(true);
    go();
    await page.getByRole("radio", { name: "深色" }).waitFor({ state: "attached" });
    await expect.poll(() => page.locator(".waiting.on").count()).toBe(0);
    await newcomer.leave();
  });
});

describe("where the server fails", () => {
  const body = JSON.stringify({
    error: { type: "server_error", code: 50000, message: "An internal error occurred." },
  });
  const failing = async (route: Route) =>
    route.fulfill({
      status: 500,
      contentType: "application/json",
      headers: { "x-request-id": "req_of_the_failure" },
      body,
    });

  test("a page says so with the request's id, and reads again when it is told to", async () => {
    const newcomer = await arrive(browser);
    const { page, context } = newcomer;
    await page.goto(started.console);
    await signIn(newcomer, newPhone(), "Finn");
    newcomer.expectRefusal("/api/");
    await context.route(/\/api\/v1\/limits$/, failing);
    await visit(page, "/limits");
    const note = page.locator(".note.bad");
    await note.getByText("The server failed").waitFor();
    expect(await note.innerText()).toContain("req_of_the_failure");
    expect(await faultsOf(page)).toEqual([]);
    await context.unrouteAll({ behavior: "wait" });
    await note.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Plan Free" }).waitFor();
    await newcomer.leave();
  });

  test.each([
    ["was asked too often", 429, 42901, "Too many requests"],
    ["is not let through", 403, 40399, "That did not work"],
  ])(
    "a session stays which %s at the start, and goes on when it is told to",
    async (_, status, code, says) => {
      const newcomer = await arrive(browser);
      const { page, context } = newcomer;
      await page.goto(started.console);
      await signIn(newcomer, newPhone(), "Rita");
      newcomer.expectRefusal("/api/");
      const error = { type: "rate_limit_error", code, message: "Wait." };
      await context.route(/\/api\/v1\/account$/, (route) =>
        route.fulfill({ status, contentType: "application/json", body: JSON.stringify({ error }) }),
      );
      await page.reload();
      await page.locator(".note.bad").getByText(says).waitFor();
      expect(await page.locator("input[type=tel]").count()).toBe(0);
      expect(await faultsOf(page)).toEqual([]);
      await context.unrouteAll({ behavior: "wait" });
      await page.getByRole("button", { name: "Try again" }).click();
      await navigation(page);
      await newcomer.leave();
    },
  );

  test("a write that fails keeps the form, and can be sent again", async () => {
    const newcomer = await arrive(browser);
    const { page, context } = newcomer;
    await page.goto(started.console);
    await signIn(newcomer, newPhone(), "Wren");
    newcomer.expectRefusal("/api/");
    await visit(page, "/keys?new=1");
    await context.route(/\/api\/v1\/keys$/, failing);
    await page.getByLabel("Name", { exact: true }).fill("kept");
    await page.locator("dialog button[type=submit]").click();
    await page.locator("dialog").getByText("The server failed").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await context.unrouteAll({ behavior: "wait" });
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("kept");
    await page.locator("dialog button[type=submit]").click();
    expect(await page.getByLabel("Secret of the key").inputValue()).toMatch(/^sk-/);
    await newcomer.leave();
  });
});
