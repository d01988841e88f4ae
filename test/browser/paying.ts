/** What a customer does at the payment platform: its page opens as the link of the order's dialog opens it. */
import type { Person } from "./person.ts";
import type { Page } from "./playwright.ts";

/** The buttons of the sandbox's page that these tests press. */
type Way = "Pay" | "Pay, lose the notice";

/** Orders a recharge on the page that is open. The dialog of the order is open then, and can be paid. */
export async function orderRecharge(page: Page, amount: string): Promise<void> {
  await page.locator(".pay-form input[inputmode=decimal]").fill(amount);
  await page.locator(".pay-form button[type=submit]").click();
  await page.locator("dialog .qr").waitFor();
}

/** Pays the order whose dialog is open, on the platform's page. Resolves when the platform has taken the money. */
export async function payOrder({ page, context }: Pick<Person, "page" | "context">, way: Way): Promise<void> {
  const opened = context.waitForEvent("page");
  await page.locator("dialog .to-pay a").click();
  const platform = await opened;
  await platform.getByRole("button", { name: way, exact: true }).click();
  await platform.getByText(/^Paid /).waitFor();
  await platform.close();
}
