/** Somebody who runs the gateway, at a browser: a token of their own, and the steps that most tests begin with. */
import { expect } from "vitest";
import { operator } from "#test/support/local.ts";
import { arrive, navigation, type Person, started } from "./person.ts";
import type { Browser, ContextOptions, Page } from "./playwright.ts";

/** Runs a command of operators, and gives what it says. */
export async function command(...words: string[]): Promise<Record<string, unknown>> {
  const { value, code, error } = await operator(started, ...words);
  expect([code, error]).toEqual([0, ""]);
  return value;
}

/** A new token of a person with these scopes. A token may list customers and orders in review six times a minute. */
export async function tokenOf(name: string, scope: string): Promise<{ id: string; token: string }> {
  const person = `${name.toLowerCase()}@example.com`;
  const made = await command(
    ...["token", "make", "--name", name, "--for", person, "--scope", scope, "--days", "1"],
  );
  return made as { id: string; token: string };
}

/** A person who has signed in to the operators' pages, and sees what waits. */
export async function arriveAsOperator(
  browser: Browser,
  token: string,
  options: ContextOptions = {},
): Promise<Person> {
  const person = await arrive(browser, options);
  await person.page.goto(`${started.console}/operators`);
  await signInBy(person.page, token);
  await navigation(person.page);
  return person;
}

/** Types a token into the sign-in, and sends it. */
export async function signInBy(page: Page, token: string): Promise<void> {
  await page.locator("input[type=password]").fill(token);
  await page.locator("button[type=submit]").click();
}

/** Sends the dialog that is open: what would happen first, and then the write. Gives what it said would happen. */
export async function write(page: Page, reason: string): Promise<string> {
  await page.locator("dialog").getByLabel("Reason").fill(reason);
  await page.locator("dialog button[type=submit]").click();
  const told = page.locator("dialog .note:has-text('What will happen')");
  await told.waitFor();
  const text = await told.innerText();
  await page.locator("dialog button[type=submit]").click();
  await page.locator("dialog").waitFor({ state: "hidden" });
  return text;
}

/** The heading of a page or a section. */
export const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
