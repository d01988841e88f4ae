/** SCIM in the console: an owner makes a token, the provider calls with it, and the owner ends it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { sandboxClient } from "#infra/local/sandbox/identity-provider.ts";
import { faultsOf, settled } from "./looks.ts";
import { arrive, newPhone, openBrowser, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("a token is shown once, tells of the last call, and ends", async () => {
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, newPhone(), "Olive Owner");
  await visit(page, "/single-sign-on");
  await page.getByRole("button", { name: "Set the provider" }).click();
  const save = page.locator("dialog button[type=submit]");
  await page.getByLabel("Issuer", { exact: true }).fill(started.identityProvider);
  await page.getByLabel("Client ID", { exact: true }).fill(sandboxClient.client_id);
  await page.getByLabel("Client secret", { exact: true }).fill(sandboxClient.client_secret);
  await save.click();
  await page.getByText("There is no token").waitFor();
  await page.getByRole("button", { name: "Make a token" }).click();
  await save.click();
  const token = await page.locator("dialog input").inputValue();
  expect(token).toMatch(/^scim\.org_/);
  await page.getByRole("button", { name: "I have copied it" }).click();
  const call = async () =>
    await fetch(`${started.console}/scim/v2/Users`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
      body: JSON.stringify({ userName: "ann@acme.example" }),
    });
  expect((await call()).status).toBe(201);
  // The page reads anew when somebody comes to it.
  await visit(page, "/members");
  await visit(page, "/single-sign-on");
  await page.getByText("The provider has a token").waitFor();
  expect(await page.getByText("It has not called yet").count()).toBe(0);
  await settled(page);
  expect(await faultsOf(page)).toEqual([]);
  expect(await page.content()).not.toContain(token);
  await page.getByRole("button", { name: "Find people by" }).click();
  await page.getByLabel("Claim with the external ID").fill("oid");
  await save.click();
  await page.getByText("oid", { exact: true }).waitFor();
  await page.getByRole("button", { name: "End the token" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End the token" }).click();
  await page.getByText("There is no token").waitFor();
  expect((await call()).status).toBe(401);
  await person.leave();
});
