/** A session on the gateway as it is bundled: the part for sessions is loaded, and finds its table and its secret. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import { velocityKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { changeItem } from "#shared/edges/store/dynamodb/items.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { openMembers } from "#test/support/members.ts";

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal();
});
afterAll(() => gateway?.stop());

test("a member makes a key with a token, calls a model with the key, and is shut out when frozen", async () => {
  const place = connectLocally(gateway.readyFile);
  const secret = readPeppers(await readSecret(place.aws, place.accountsSecretArn));
  const desk = openMembers(place, { secret });
  desk.clock.now = Date.now();
  const acme = await desk.newOrganization();
  await operator(gateway, "org", "credit", acme.id, "--points", "10", "--reference", "first");
  const ann = await desk.newMember(acme, "member", "Ann");
  const headers = {
    authorization: `Bearer ${await ann.token(acme)}`,
    "content-type": "application/json",
  };
  const ask = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(new URL(path, gateway.url), { headers, ...init });
    return { status: reply.status, body: (await reply.json()) as { id?: string; key?: string } };
  };
  const body = JSON.stringify({ name: "mine", billing_mode: "payg" });
  const made = await ask("/api/v1/keys", { method: "POST", body });
  expect(made).toMatchObject({ status: 200, body: { created_by: { id: ann.user.id, name: "Ann" } } });
  const call = await fetch(new URL("/v1/chat/completions", gateway.url), {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${made.body.key}` },
    body: JSON.stringify({
      model: "openai/gpt-5.4-mini",
      messages: [{ role: "user", content: "Hi" }],
      max_tokens: 5,
    }),
  });
  expect(call.status).toBe(200);
  await call.text();
  expect(await ask("/api/v1/calls")).toMatchObject({ status: 200, body: { object: "list" } });
  expect(await ask("/api/v1/usage?period=today")).toMatchObject({
    status: 403,
    body: { error: { code: 40300 } },
  });
  const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
  const line = { kind: "key_created", actor: ann.user.id, credential: ann.session.id, ip: "127.0.0.1" };
  expect(entries[0]).toMatchObject({ ...line, subject: made.body.id });

  const frozen = await operator(gateway, "user", "freeze", ann.user.id);
  expect(frozen.value).toMatchObject({ status: "frozen", organizations: [{ id: acme.id, role: "member" }] });
  expect(await ask("/api/v1/keys")).toMatchObject({ status: 401, body: { error: { code: 40110 } } });
  await operator(gateway, "user", "unfreeze", ann.user.id);
  expect(await ask("/api/v1/keys")).toMatchObject({ status: 200, body: { data: [{ id: made.body.id }] } });
  const unknown = await operator(gateway, "user", "show", "+8613711111111");
  expect([unknown.code, unknown.error]).toEqual([2, expect.stringContaining("Nobody has this phone")]);
  const minute = Math.floor(Date.now() / 60_000);
  // The test may begin in one minute and end in the next.
  for (const each of [minute, minute + 1]) await makeCalls(ann.session.id, each, place);
  expect(await ask("/api/v1/keys")).toMatchObject({ status: 429, body: { error: { code: 42901 } } });
});

/** All calls that a session may make in a minute, as the console counts them. */
async function makeCalls(
  session: string,
  minute: number,
  { aws, tables }: ReturnType<typeof connectLocally>,
) {
  const key = velocityKey(`calls:${session}`, String(minute));
  await changeItem(aws, {
    ...{ table: tables.accounts, key },
    set: toItem({ n: consoleLimits.callsPerSessionAMinuteMax, expires_at: (minute + 2) * 60 }),
  });
}

test("a key that a key makes leaves its line, with the key and the address", async () => {
  const place = connectLocally(gateway.readyFile);
  const { keys, organizations } = gateway;
  const reply = await fetch(new URL("/api/v1/keys", gateway.url), {
    method: "POST",
    headers: { authorization: `Bearer ${keys.manager}`, "x-forwarded-for": "198.51.100.7" },
    body: JSON.stringify({ billing_mode: "payg" }),
  });
  expect(reply.status).toBe(200);
  const { id } = (await reply.json()) as { id: string };
  const log = createAuditLog(place.aws, place.tables);
  const { entries } = await log.entries(organizations.manager, { limit: 1 });
  expect(entries).toMatchObject([
    { kind: "key_created", subject: id, credential: expect.stringMatching(/^key_/), ip: "127.0.0.1" },
  ]);
  expect(entries[0]?.forwarded_for).toContain("198.51.100.7");
});
