/** Signing up and in by e-mail: the code comes by mail, and the masked address stands for who has no name. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "./looks.ts";
import { arrive, codeFor, navigation, newPhone, openBrowser, type Person, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface Mail {
  code: string;
  locale: string;
  subject: string;
}

/** The mails that an address was sent, the newest first. */
async function mailsFor(email: string): Promise<Mail[]> {
  const answer = await fetch(`${started.inbox}/inbox.json?email=${encodeURIComponent(email)}`);
  return ((await answer.json()) as { data: Mail[] }).data;
}

/** Asks for a code by e-mail, and types it. */
async function typeCode({ page }: Person, email: string): Promise<void> {
  await page.getByRole("button", { name: "Use an e-mail address instead" }).click();
  await page.locator("input[type=email]").fill(email);
  await page.locator("button[type=submit]").click();
  const code = page.locator("input[autocomplete=one-time-code]");
  await code.waitFor();
  const [mail] = await mailsFor(email.trim().toLowerCase());
  await code.fill(mail?.code ?? "");
  await page.locator("button[type=submit]").click();
}

test("a newcomer signs up by e-mail, without a name, and is shown by the masked address", async () => {
  const person = await arrive(browser);
  const { page } = person;
  const email = `zoe.${Date.now()}@example.com`;
  await page.goto(started.console);
  await page.getByRole("button", { name: "Use an e-mail address instead" }).click();
  expect(await faultsOf(page)).toEqual([]);
  await page.locator("input[type=email]").fill("zoe");
  await page.locator("button[type=submit]").click();
  await page.getByText("Type the whole address").waitFor();
  await page.getByRole("button", { name: "Use a phone instead" }).click();
  await page.locator("input[type=tel]").waitFor();
  person.expectRefusal("/auth/sign-in");
  await typeCode(person, ` ${email.toUpperCase()} `);
  await page.getByRole("heading", { name: "Create your account" }).waitFor();
  await page.locator("button[type=submit]").click();
  await navigation(page);
  await expect.poll(() => page.locator(".names span").first().innerText()).toBe("z…@example.com");
  expect(await mailsFor(email)).toMatchObject([{ locale: "en", subject: "Your verification code" }]);
  await visit(page, "/settings");
  const phone = newPhone();
  await page.locator("input[type=tel]").fill(phone);
  await page.getByRole("button", { name: "Send a code" }).click();
  const code = page.locator("input[autocomplete=one-time-code]");
  await code.waitFor();
  await code.fill(await codeFor(`+86${phone}`));
  await page.getByRole("button", { name: "Add the phone" }).click();
  await page.getByRole("button", { name: "Remove the address" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove the address" }).click();
  await page.locator("input[type=email]").waitFor();
  expect(await page.getByRole("button", { name: "Remove the phone" }).count()).toBe(0);
  await person.leave();
});
