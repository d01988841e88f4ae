/** Somebody who opens an invitation: they are where it leads, also after a reload, and are not asked to join again. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { invited } from "./inviting.ts";
import { faultsOf } from "./looks.ts";
import { arrive, newPhone, openBrowser, type Person, signIn, started } from "./person.ts";
import type { Browser, Page } from "./playwright.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const organization = "Ines Invites";
const shownIn = (page: Page) => page.locator(".names .faint").innerText();
const joins = (page: Page) => page.getByRole("button", { name: "Join" }).count();

/** What a used link says to somebody who is signed in. */
async function expectNothingToJoin({ page }: Person, link: string): Promise<void> {
  await page.goto(link);
  await page.reload();
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByRole("heading", { name: "There is nothing to join here" }).waitFor();
  expect(await joins(page)).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
}

test("a newcomer begins in the organization that invited them, and it is the only one", async () => {
  const link = await invited(browser, organization);
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(link);
  await signIn(person, newPhone(), "Nora Newcomer");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expect([await shownIn(page), await joins(page)]).toEqual([organization, 0]);
  await page.reload();
  await expect.poll(() => shownIn(page)).toBe(organization);
  await page.locator(".account-button").click();
  // The menu has a choice of organizations only where there are several.
  expect(await page.locator("#account-menu option").count()).toBe(0);
  await person.leave();
});

test("somebody with an account signs in by the link, and a used one has nothing to join for others", async () => {
  const link = await invited(browser, organization);
  const phone = newPhone();
  const person = await arrive(browser);
  const { page } = person;
  await page.goto(started.console);
  await signIn(person, phone, "Otto Own");
  await page.goto(link);
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.reload();
  await expect.poll(() => shownIn(page)).toBe(organization);
  await person.leave();
  const other = await arrive(browser);
  await other.page.goto(started.console);
  await signIn(other, newPhone(), "Uma Used");
  other.expectRefusal("/api/v1/invitations/accept");
  await expectNothingToJoin(other, link);
  await other.leave();
});
