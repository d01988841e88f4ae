/** The console's routes of payments, asked by a member of an organization of its own. */

import { newId } from "#shared/base/platform/id.ts";
import type { ConsoleAnswers } from "#shared/edges/console/call.ts";
import { paymentAnswers } from "#shared/edges/console/operations/payments.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import type { Caller } from "#shared/people/identity/caller.ts";
import type { Role } from "#shared/people/identity/user.ts";
import type { Database } from "./dynamodb.ts";
import { morning, orderDeps, signedUp } from "./orders.ts";
import { type Between, platformsOver, silence, Trades } from "./trades.ts";

interface Answer {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of several routes.
  body: any;
}

/** The console of a stage with Alipay and Stripe. `recharge` is a body that it takes. */
export async function openPayments(database: Database) {
  const clock = { now: morning };
  const trades = { alipay: new Trades(() => clock.now), stripe: new Trades(() => clock.now) };
  const state = { role: "owner" as Role, silent: false, isGone: false };
  const organization = await signedUp(database, morning - 60_000);
  const between: Between = async (_, act) => {
    if (state.silent) throw silence();
    return act();
  };
  const ports = orderDeps(database, trades, clock);
  const all = platformsOver(trades, between);
  const platforms: typeof all = {
    ...all,
    platform: (channel) => (state.isGone ? platformsOver({}).platform(channel) : all.platform(channel)),
  };
  const deps = { ...ports, platforms, notifyBase: undefined };
  const caller = {
    user: { id: "usr_1", name: "Li" },
    organization,
    session: { id: "ses_1", created_at: morning },
  } as unknown as Caller;
  const serve = createConsole(paymentAnswers(deps) as unknown as ConsoleAnswers, {
    log: deps.log,
    identify: async () => ({ ...caller, role: state.role }),
    asset: async () => undefined,
  });
  const ask = async (line: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const [method = "", url = ""] = line.split(" ");
    const [path = "", query = ""] = url.split("?");
    const reply = await serve({
      ...{
        id: newId("request", clock.now),
        method,
        path,
        query: new URLSearchParams(query),
        ip: "203.0.113.7",
      },
      headers: { host: "console.test", ...headers },
      body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
      ...{ received_at: clock.now, deadline_at: clock.now + 30_000 },
    });
    const text = String(reply.body);
    return {
      status: reply.status,
      headers: reply.headers,
      body: /^[[{]/.test(text) ? JSON.parse(text) : text,
    };
  };
  const codeOf = ({ status, body }: Answer) => [status, body.error?.code ?? body.code];
  const notify = (channel: "alipay" | "stripe", evidence: object, at = channel) =>
    ask(`POST /api/v1/payments/${at}/notify`, evidence);
  return { ask, codeOf, notify, clock, trades, deps, state, organization };
}

/** A body of `POST /api/v1/recharges`. */
export const recharge = { amount: "100.00", channel: "alipay" };
