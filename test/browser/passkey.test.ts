/** A passkey of Chromium's own authenticator: added in the settings, and signed in by without a code. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "./looks.ts";
import { arrive, navigation, newPhone, openBrowser, signIn, started } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Browsers bind passkeys to names, and to no address in figures. */
const home = started.console.replace("127.0.0.1", "localhost");

/** What a laptop has whose owner shows a finger whenever it asks. */
const laptop = {
  ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
  ...{ isUserVerified: true, automaticPresenceSimulation: true },
};

test("somebody adds a passkey, signs out, and comes in by it; without a finger nothing happens", async () => {
  const person = await arrive(browser);
  const { page, context } = person;
  const tools = await context.newCDPSession(page);
  await tools.send("WebAuthn.enable");
  const added = await tools.send("WebAuthn.addVirtualAuthenticator", { options: laptop });
  const { authenticatorId } = added as { authenticatorId: string };
  await page.goto(home);
  await signIn(person, newPhone(), "Pia Passkey");
  await page.goto(`${home}/settings`);
  await page.getByLabel("Name of the passkey").fill("My laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const remove = page.getByRole("button", { name: "Remove the passkey My laptop" });
  await remove.waitFor();
  expect(await faultsOf(page)).toEqual([]);

  await context.clearCookies();
  await page.evaluate("localStorage.clear()");
  await page.goto(home);
  const enter = page.getByRole("button", { name: "Sign in with a passkey" });
  await tools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await enter.click();
  await page.getByText("No passkey was used").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await tools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  await enter.click();
  await navigation(page);
  await expect.poll(() => page.locator(".names span").first().innerText()).toBe("Pia Passkey");

  await page.goto(`${home}/settings`);
  await remove.click();
  await remove.waitFor({ state: "hidden" });
  await person.leave();
});
