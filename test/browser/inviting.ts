import { arrive, newPhone, signIn, started, visit } from "./person.ts";
import type { Browser } from "./playwright.ts";

/** The link of an invitation to the organization of a new owner, who is called so, as somebody who pays there. */
export async function invited(browser: Browser, name: string): Promise<string> {
  const owner = await arrive(browser);
  const { page } = owner;
  await page.goto(started.console);
  await signIn(owner, newPhone(), name);
  await visit(page, "/members");
  await page.getByRole("button", { name: "Invite somebody" }).click();
  // The card covers its radio, so the check is forced, and a forced one does not wait for the dialog to open.
  await page.locator("dialog[open]").waitFor();
  await page.locator("dialog input[type=radio][value=finance]").check({ force: true });
  await page.locator("dialog button[type=submit]").click();
  const link = await page.locator("dialog .secret input").inputValue();
  await owner.leave();
  return link;
}
