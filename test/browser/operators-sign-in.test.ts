/** The sign-in to the operators' pages: what it takes and keeps, how it ends, and that it never meets a customer's session. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arriveAsOperator, command, heading, signInBy, tokenOf } from "./operating.ts";
import { arrive, arriveAsDemo, navigation, openBrowser, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe("the sign-in", () => {
  test("takes a token by keyboard alone, keeps it nowhere, and asks again after a load", async () => {
    const { token } = await tokenOf("Kay", "read");
    const { page, context, leave } = await arrive(browser);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${started.console}/operators`);
    await page.locator("input[type=password]").waitFor();
    await page.keyboard.type("sk-payg-of-somebody");
    await page.keyboard.press("Enter");
    await page.getByText("This is no operators' token.").waitFor();
    expect(asked.filter((url) => url.includes("/api/"))).toEqual([]);
    await page.locator("input[type=password]").fill("");
    await page.keyboard.type(token);
    await page.keyboard.press("Enter");
    await heading(page, "What waits").waitFor();
    expect(await page.locator("input[type=password]").count()).toBe(0);
    const kept = await page.evaluate<string>(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])",
    );
    expect(kept).not.toContain("gwadmin_");
    expect(JSON.stringify(await context.storageState())).not.toContain("gwadmin_");
    await page.reload();
    await page.locator("input[type=password]").waitFor();
    await leave();
  });

  test("refuses a token that is not in force, and comes back with the reason when one is revoked", async () => {
    const { id, token } = await tokenOf("Rea", "read");
    const person = await arrive(browser);
    const { page } = person;
    person.expectRefusal("/api/admin/v1/");
    await page.goto(`${started.console}/operators`);
    await signInBy(page, `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`);
    await page.getByText("This token is not in force").waitFor();
    await signInBy(page, token);
    await heading(page, "What waits").waitFor();
    // What waits has come: none of its reads meets the revocation.
    await page.locator("button[aria-busy=true]").waitFor({ state: "hidden" });
    await command("token", "revoke", id, "--yes");
    await page.locator("nav a[href='/operators/proposals']").click();
    await page.getByText("You were signed out: your token has ended, or somebody has revoked it.").waitFor();
    await person.leave();
  });

  test("shows whose token it is and what it opens, and forgets it at the sign-out", async () => {
    const { token } = await tokenOf("Sue", "support");
    const { page, leave } = await arriveAsOperator(browser, token);
    await page.locator(".account-button").click();
    const menu = await page.locator(".popover").innerText();
    expect(menu).toContain("sue@example.com");
    expect(menu).toContain("support");
    expect(menu).toMatch(/Good until\s+\w{3} \d/);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.locator("input[type=password]").waitFor();
    expect(await page.locator("input[type=password]").inputValue()).toBe("");
    await leave();
  });

  test("never meets the session of a customer in the same browser", async () => {
    const { token } = await tokenOf("Ida", "read");
    const person = await arriveAsDemo(browser);
    const { page } = person;
    // What the customer's page has asked comes before.
    await page.waitForLoadState("networkidle");
    const sent: { url: string; bearer: string }[] = [];
    page.on("response", (answer) => {
      const { authorization = "" } = answer.request().headers();
      if (answer.url().includes("/api/")) sent.push({ url: answer.url(), bearer: authorization });
    });
    await page.goto(`${started.console}/operators`);
    await signInBy(page, token);
    await heading(page, "What waits").waitFor();
    // The token itself, and what waits in three lists.
    await expect.poll(() => sent.length).toBe(4);
    await visit(page, "/operators/customers");
    await expect.poll(() => sent.length).toBe(5);
    for (const { url, bearer } of sent) {
      expect(url).toContain("/api/admin/v1/");
      expect(bearer).toBe(`Bearer ${token}`);
    }
    sent.length = 0;
    await page.goto(`${started.console}/keys`);
    await navigation(page);
    await heading(page, "API keys").waitFor();
    expect(sent.length).toBeGreaterThan(1);
    for (const { url, bearer } of sent) {
      expect(url).not.toContain("/api/admin/");
      expect(bearer).not.toContain("gwadmin_");
    }
    await person.leave();
  });
});
