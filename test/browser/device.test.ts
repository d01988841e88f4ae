/** Somebody lets a program in: the link says who asks and decides nothing, and the settings sign the program out. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "./looks.ts";
import { arrive, newPhone, openBrowser, signIn, started } from "./person.ts";
import type { Browser } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const client_id = "a-program";

async function post(path: string, form: Record<string, string>) {
  const url = `${started.console}/api/v1/auth/device/${path}`;
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  return (await answer.json()) as Record<string, string>;
}

/** What a terminal is answered; a second poll in five seconds would be refused. */
const polled = (device_code = "") =>
  post("token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id, device_code });

test("a newcomer opens the link of a terminal, sees who asks, lets it in, and signs it out in the settings", async () => {
  const codes = await post("code", { client_id, device_name: "a-laptop" });
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(codes.verification_uri_complete ?? "");
  await signIn(person, newPhone(), "Dana Device");
  await page.getByRole("heading", { name: "a-program asks to be let in" }).waitFor();
  const shown = await page.locator(".facts").innerText();
  for (const fact of [codes.user_code ?? "", "a-program", "a-laptop", "127.0.0.1"])
    expect(shown).toContain(fact);
  expect(await faultsOf(page)).toEqual([]);
  expect((await polled(codes.device_code)).error).toBe("authorization_pending");

  await page.getByRole("button", { name: "Let it in" }).click();
  await page.getByRole("heading", { name: "It is let in" }).waitFor();
  await expect
    .poll(async () => (await polled(codes.device_code)).access_token ?? "", {
      interval: 5_100,
      timeout: 30_000,
    })
    .toMatch(/^sk-/);

  await page.goto(`${started.console}/settings`);
  const out = page.getByRole("button", { name: "Sign a-program (a-laptop) out" });
  await out.click();
  await page.getByRole("heading", { name: "No program is signed in" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await person.leave();
});

test("a code that is typed is looked at, a wrong one says so, and who is refused stays out", async () => {
  const codes = await post("code", { client_id });
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(codes.verification_uri ?? "");
  await signIn(person, newPhone(), "Rita Careful");
  const field = page.getByRole("textbox", { name: "Code" });
  const look = page.getByRole("button", { name: "Show who asks" });
  await field.fill("BCDF");
  await look.click();
  await page.getByText("A code has eight letters").waitFor();
  person.expectRefusal("/api/v1/auth/device/look");
  await field.fill("BBBB-BBBB");
  await look.click();
  await page.getByText("No program waits with this code").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await field.fill((codes.user_code ?? "").toLowerCase().replace("-", ""));
  await look.click();
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByRole("heading", { name: "It is refused" }).waitFor();
  expect((await polled(codes.device_code)).error).toBe("access_denied");
  await person.leave();
});
