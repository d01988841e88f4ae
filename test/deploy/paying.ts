/** Money at the deployed console: what a customer pays, gets an invoice for and reads, and what an operator pays back. */
import assert from "node:assert/strict";
import type { Sandbox } from "#test/support/payment-platform.ts";
import { invoke } from "./account.ts";
import type { Answer } from "./client.ts";
import type { Commands } from "./commands.ts";
import { named } from "./stack.ts";
import { type Deployed, until } from "./world.ts";

/** The console as a page asks it. Throws where an answer has another status. */
export type Ask = (
  status: number,
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Pays an order without a notice, and waits until the page that asks has it credited. */
async function pay(ask: Ask, order: Answer, sandbox: Sandbox): Promise<string> {
  const id = String(order.json.id);
  assert.match(String(order.json.qr_code), /^https?:/);
  await sandbox.pay(id, "lose_notice");
  await until(`the credit of ${id}`, async () => {
    const { json } = await ask(200, "GET", `recharges/${id}`);
    return json.state === "credited" || undefined;
  });
  return id;
}

/** Orders points and pays for them. Gives the order's id. */
export async function recharge(ask: Ask, sandbox: Sandbox): Promise<string> {
  const wanted = { amount: "10.00", channel: "alipay" };
  const order = await ask(201, "POST", "recharges", wanted, { "idempotency-key": "one" });
  const id = await pay(ask, order, sandbox);
  const { json } = await ask(200, "GET", "account");
  assert.deepEqual(json.wallet, { balance_points: "10" });
  return id;
}

/** Closes an order that nobody pays, and buys a plan. */
export async function buyPlan(ask: Ask, sandbox: Sandbox): Promise<void> {
  const unpaid = await ask(201, "POST", "recharges", { amount: "11.00", channel: "wechat" });
  await ask(200, "POST", `recharges/${unpaid.json.id}/close`);
  await ask(200, "GET", "plans/quote?plan=lite&period=monthly");
  const wanted = { plan: "lite", period: "monthly", channel: "alipay" };
  await pay(ask, await ask(201, "POST", "plan-orders", wanted), sandbox);
  const { json } = await ask(200, "GET", "account");
  assert.equal((json.plan as { plan?: string } | null)?.plan, "lite");
}

/** Requests an invoice over an order, and reads it and the statement of the month. Gives the invoice's id. */
export async function invoice(ask: Ask, order: string): Promise<string> {
  const free = await ask(200, "GET", "invoices/orders");
  assert.ok(free.text.includes(order), free.text);
  const wanted = { orders: [order], title: { kind: "personal", name: "Ann" }, email: "ann@example.com" };
  const { json } = await ask(201, "POST", "invoices", wanted);
  await ask(200, "GET", "invoices");
  await ask(200, "GET", `invoices/${json.id}`);
  const { json: months } = await ask(200, "GET", "statements");
  const [last] = months.data as { month: string }[];
  for (const format of ["json", "html", "csv"])
    await ask(200, "GET", `statements/${last?.month}?format=${format}`);
  return String(json.id);
}

/** What an operator does who is asked about a customer's money: looks, issues the invoice, and pays a part back. */
export async function serve(
  {
    commands,
    phone,
    order,
    invoice: id,
  }: { commands: Commands; phone: string; order: string; invoice: string },
  ask: Ask,
  on: Deployed,
): Promise<void> {
  const { emulator, keys, seen, stage } = on;
  const run = (line: string) => commands.operator(stage, ...line.split(" "));
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const days = `--from ${day(Date.now() - 86_400_000)} --to ${day(Date.now() + 86_400_000)}`;
  const looks = ["order list", `order show ${order}`, `order totals ${days}`, "invoice list"];
  await Promise.all([...looks, `invoice show ${id}`, `user show ${phone}`, "sms status"].map(run));
  await run(`invoice issue ${id} --file F-1`);
  await run(`order refund ${order} --amount 4.00 --reason mistake`);
  const console = named({ seen }, "AWS::Lambda::Function", "Console");
  await until(`the refund of ${order}`, async () => {
    await invoke(emulator, keys, console, { reconcile: true });
    const { json } = await ask(200, "GET", `recharges/${order}`);
    return json.state === "partly_refunded" || undefined;
  });
  const { json } = await ask(200, "GET", "account");
  assert.deepEqual(json.wallet, { balance_points: "6" });
  const { json: issued } = await ask(200, "GET", `invoices/${id}`);
  assert.deepEqual([issued.state, issued.paid_back], ["issued", "4.00"]);
}
