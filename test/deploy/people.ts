/** People at the deployed console: every request under the role of its function, with IAM enforced. */
import assert from "node:assert/strict";
import { inboxSettings, startInbox } from "#infra/local/sandbox/inbox.ts";
import { startPaymentPlatform } from "#test/support/payment-platform.ts";
import { invoke } from "./account.ts";
import { type Answer, clientOf } from "./client.ts";
import { asOperator } from "./operating.ts";
import { type Ask, buyPlan, invoice, recharge, serve } from "./paying.ts";
import { named } from "./stack.ts";
import type { Deployed, Step } from "./world.ts";

const phone = "+8613912345678";

/** The console as a page of its own asks it. */
function consoleOf({ emulator, seen }: Deployed, token = "none") {
  const client = clientOf(emulator, seen.outputs.ConsoleUrl ?? "", token);
  const own = { "sec-fetch-site": "same-origin" };
  return {
    ask: (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      client.ask(method, `/api/v1/${path}`, body, { ...own, ...headers }),
  };
}

function expecting(answer: Answer, status: number): Answer {
  assert.equal(answer.status, status, answer.text);
  return answer;
}

/** The value of the session's cookie that an answer sets. */
function cookieOf({ headers }: Answer): string {
  const [cookie = ""] = headers["set-cookie"] ?? [];
  assert.match(cookie, /^__Host-session=[^;]+;.*Secure; HttpOnly; SameSite=Strict/);
  return cookie.split(";")[0] ?? "";
}

const today = new Date(Date.now() - 86_400_000).toISOString();
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

/** What somebody looks at, in the order of the pages. */
const looks = [
  "account",
  "auth/sessions",
  "usage/summary",
  `usage/export?by=key&step=day&from=${today}&to=${tomorrow}`,
  `usage/series?by=model&step=day&from=${today}&to=${tomorrow}`,
  "calls",
  "keys",
  "limits",
  "models",
  "members",
  "invitations",
  "audit-log",
  "plans",
  "payment-methods",
  "recharges",
];

/** Signs up with the code that is in the inbox then, and gives the access token and the cookie. */
async function signUp(on: Deployed, inbox: string): Promise<{ token: string; cookie: string }> {
  expecting(await consoleOf(on).ask("POST", "auth/code", { phone }), 202);
  const { data } = (await (await fetch(`${inbox}/inbox.json`)).json()) as { data: { code: string }[] };
  const proof = { phone, code: data[0]?.code ?? "" };
  const signedUp = expecting(await consoleOf(on).ask("POST", "auth/sign-up", proof), 201);
  return { token: String(signedUp.json.access_token), cookie: cookieOf(signedUp) };
}

/** Steps after a customer's calls, before the operator's. */
export const people: Step<Deployed>[] = [
  [
    "somebody signs up, looks at every page, pays, gets an invoice and money back, makes a key and signs out; nothing of it is denied",
    async (on) => {
      const { cloud, emulator, seen } = on;
      const inbox = await startInbox();
      const sandbox = await startPaymentPlatform({ notifyUrl: () => seen.outputs.ConsoleUrl ?? "" });
      try {
        const platforms = { ...sandbox.settings, sms: inboxSettings(inbox) };
        await cloud.fillSecret(seen.outputs.PlatformsSecretArn ?? "", platforms);
        const { token, cookie } = await signUp(on, inbox.url);
        const own = consoleOf(on, token);
        const ask: Ask = async (status, ...asked) => expecting(await own.ask(...asked), status);
        for (const look of looks) await ask(200, "GET", look);
        const order = await recharge(ask, sandbox);
        await buyPlan(ask, sandbox);
        const requested = await invoice(ask, order);
        const { commands } = await asOperator(on);
        await serve({ commands, phone, order, invoice: requested }, ask, on);
        const key = { name: "mine", billing_mode: "payg" };
        await ask(200, "POST", "keys", key);
        await ask(201, "POST", "invitations", { role: "member" });
        // The gateway knows the session too.
        const atGateway = clientOf(emulator, seen.outputs.GatewayUrl ?? "", token);
        expecting(await atGateway.ask("GET", "/api/v1/keys"), 200);
        const refreshed = expecting(await consoleOf(on).ask("POST", "auth/refresh", {}, { cookie }), 200);
        const next = cookieOf(refreshed);
        expecting(await consoleOf(on).ask("POST", "auth/sign-out", {}, { cookie: next }), 204);
        expecting(await own.ask("GET", "account"), 401);
        expecting(await atGateway.ask("GET", "/api/v1/keys"), 401);
      } finally {
        await inbox.stop();
        await sandbox.stop();
      }
      assert.deepEqual(emulator.takeDenials(), []);
    },
  ],
  [
    "the reconciler runs as the schedule runs it",
    async ({ emulator, keys, seen }) => {
      await invoke(emulator, keys, named({ seen }, "AWS::Lambda::Function", "Console"), { reconcile: true });
      assert.deepEqual(emulator.takeDenials(), []);
    },
  ],
];
