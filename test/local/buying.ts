/** What people pay at the console of `npm start`, by routes of its document, at the sandbox's pages. */
import { expect, vi } from "vitest";

/** Asks an operation of the document. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of several routes.
type Ask = (name: string, call: { token: string; body?: object; id?: string }) => Promise<any>;

/** What a person presses on a page of the sandbox. */
async function press(url: string, fields: Record<string, string>): Promise<void> {
  const pressed = await fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
  expect(pressed.status).toBe(303);
}

/** Orders points and pays them. Gives the order once it is credited. */
export async function buyPoints(token: string, ask: Ask): Promise<string> {
  const order = await ask("createRecharge", { token, body: { amount: "100.00", channel: "alipay" } });
  await press(order.qr_code, { way: "pay" });
  await vi.waitFor(
    async () => {
      const { state } = await ask("showRecharge", { token, id: order.id });
      expect(state).toBe("credited");
    },
    { timeout: 90_000, interval: 500 },
  );
  return order.id;
}

/** Saves a card, turns automatic top-up on by it, and removes it. */
export async function topUpByCard(token: string, ask: Ask): Promise<void> {
  await press((await ask("openCardPage", { token })).url, { kind: "good" });
  expect((await ask("showAutoTopUp", { token })).card).toMatchObject({ brand: "visa", last_four: "4242" });
  const body = { on: true, below_points: "0.5", amount: "10.00", month_max: "20.00" };
  expect(await ask("setAutoTopUp", { token, body })).toMatchObject({ state: "on", currency: "USD" });
  expect(await ask("removeCard", { token })).toMatchObject({ state: "off", card: null, order: null });
}
