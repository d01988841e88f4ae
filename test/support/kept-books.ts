/**
 * Books with every kind of item in them, in memory. The product's own operations have written all of it. There are people
 * and keys, calls on a wallet and on a plan, videos, orders with refunds, invoices, and a sealed day.
 */

import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { anchorAt } from "#shared/books/accounts/subscription.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { endCall } from "#shared/books/ledger/end-call.ts";
import { settlementOfEvent, type UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Hold } from "#shared/books/meters/hold.ts";
import { type Intent, intentFor } from "#shared/books/meters/intent.ts";
import { expire } from "#shared/calls/tasks/end.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import type { AuditDeps } from "#shared/edges/audit/audit.ts";
import { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { seal } from "#shared/edges/jobs/seal.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { credit } from "#shared/edges/operator/organizations.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createCreditProposals } from "#shared/edges/store/admin/credits.ts";
import { createAdminTokens } from "#shared/edges/store/admin/tokens.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import type { KeptTable } from "#shared/edges/store/dynamodb/table-schema.ts";
import { createCodes } from "#shared/edges/store/identity/codes.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createChannelRecords } from "#shared/edges/store/taken-out.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { newAdminToken } from "#shared/people/admin/token.ts";
import { codeHash, codeName } from "#shared/people/identity/code.ts";
import type { Contact } from "#shared/people/identity/contact.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { emptyQueue } from "./audit-books.ts";
import { awsOverMemory } from "./aws-over.ts";
import { openInvoices } from "./invoices.ts";
import { useDoors } from "./kept-doors.ts";
import { keepBill, keepClose } from "./kept-month.ts";
import { minute, type Place, useOrders } from "./kept-orders.ts";
import { firstSecret } from "./members.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb } from "./memory-dynamodb.ts";
import { catalog, signedUp } from "./orders.ts";
import { admit, planHold, planLimits, price, walletHold } from "./store.ts";
import { lookAt } from "./thresholds.ts";
import { createVideoScenario, orderVideo } from "./video.ts";

export interface KeptBooks {
  db: MemoryDynamoDb;
  deps: AuditDeps;
  now: number;
}

/** The tables that are kept. */
export const keptNames = ["keys", "counters", "ledger", "tasks", "accounts"] as const satisfies KeptTable[];

const start = Date.parse("2026-11-24T09:00:00Z");

/** Opens such books. They are at rest, but for a call in flight and a video without a verdict. */
export async function keptBooks(): Promise<KeptBooks> {
  const clock = { now: start };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  const at: Place = { clock, aws: awsOverMemory(db), tables: db.tables };
  const organization = await signedUp(at, clock.now);
  await usePeople(at, organization);
  await useCalls(at, organization);
  await useVideos(at, organization);
  await useOrders(at, organization);
  await useSchedules(at);
  const { aws, tables } = at;
  await lookAt(at, organization, { now: clock.now, plan: catalog.plan });
  const running = await newKey(at, organization, {});
  const hold = walletHold(organization.wallet?.meter ?? "", "5", clock.now, running.id);
  await admit(createMeters(aws, tables), hold);
  const deps: AuditDeps = {
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables),
    tasks: createTasks(aws, tables),
    kept: createKeptBooks(aws, tables, () => clock.now),
    ledger: createLedger(aws, tables),
    queue: emptyQueue,
    now: () => clock.now,
  };
  return { db, deps, now: clock.now };
}

/** An owner, a member with a key, one who left, an invitation that is open and one that was accepted. */
async function usePeople(at: Place, acme: Organization): Promise<void> {
  const { desk } = openInvoices(at);
  desk.clock.now = at.clock.now;
  const ann = await desk.newMember(acme, "owner", "Ann");
  const bob = await desk.newMember(acme, "member", "Bob");
  const eve = await desk.newPerson("Eve");
  const own = await desk.newOrganization();
  await desk.join(eve, own.id, "owner");
  const tell = async (route: string, body?: object, who = ann, whose = acme) => {
    at.clock.now = desk.clock.now += minute;
    const answer = await desk.ask([who, whose], route, body);
    if (answer.status >= 300) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await tell("POST /api/v1/keys", { name: "program", billing_mode: "payg" }, bob);
  const { id } = await tell("POST /api/v1/keys", { name: "old", billing_mode: "payg" });
  await tell(`DELETE /api/v1/keys/${id}`);
  await tell("POST /api/v1/projects", { name: "Search", members: [bob.user.id] });
  await tell("POST /api/v1/projects", { name: "Support" });
  await tell("PATCH /api/v1/projects/support", { status: "archived" });
  await tell("POST /api/v1/invitations", { role: "finance" });
  const { token } = await tell("POST /api/v1/invitations", { role: "member" });
  await tell("POST /api/v1/invitations/accept", { token }, eve, own);
  await tell(`DELETE /api/v1/members/${eve.user.id}`);
  await useCode(at, ann.phone);
  await useDoors(at, acme, ann.user);
  await takeOut(at);
  await keepBill(at);
  await keepClose(at);
  await proposeCredit(at, acme);
}

/** An operator has a token, and has proposed a credit by it. */
async function proposeCredit(
  { aws, tables, clock }: Place,
  { id: organization }: Organization,
): Promise<void> {
  const who = { name: "Ann", person: "ann@example.com" };
  const { token } = newAdminToken({ ...who, scopes: ["finance"], days: 1, by: "ops" }, clock.now);
  await createAdminTokens(aws, tables).make({ ...token, revoked_at: clock.now, revoked_by: "ops" });
  const by = { ...who, token: token.id };
  await createCreditProposals(aws, tables).make({
    ...{
      id: newId("proposal", clock.now),
      organization,
      points: "5000",
      kind: "bought",
      reference: "wire-1",
    },
    ...{ why: "a wire", proposed_by: by, made_at: clock.now, ends_at: clock.now + minute, state: "refused" },
    ...{ decided_by: by, decided_at: clock.now, decided_why: "a mistake" },
  });
}

/** An operator has taken a channel out. */
async function takeOut({ aws, tables, clock }: Place): Promise<void> {
  const place = { channel: "k3x9q0", provider: "acme", name: "sonic", models: ["acme/sonic"] };
  const acts = [
    { what: "left" as const, at: clock.now, by: "ops", why: "wrong answers", until: clock.now + minute },
  ];
  await createChannelRecords(aws, tables).write({ ...place, revision: 1, acts }, undefined);
}

/** What a sign-in leaves: the last code of its phone. */
async function useCode({ aws, tables, clock }: Place, phone: string): Promise<void> {
  const contact: Contact = { kind: "phone", text: phone };
  const { current } = keysOf(firstSecret);
  const sent = { sent_at: clock.now, ends_at: clock.now + minute, tries: 0, day: "2026-11-24", sent: 1 };
  const code = codeHash(contact, "123456", current);
  await createCodes(aws, tables).send(codeName(contact, current), { ...sent, code }, undefined);
}

/** A key of the organization, which may have a budget and a project. */
async function newKey(at: Place, { id }: Organization, change: Partial<KeyRecord>): Promise<KeyRecord> {
  const key: KeyRecord = {
    ...{ id: newId("key", at.clock.now), organization: id, project: "", name: "test", mode: "payg" },
    ...{ hash: newId("request", at.clock.now), permissions: [], limits: null, status: "active" },
    ...{ last_four: "abcd", created_at: at.clock.now, expires_at: null, ...change },
  };
  await createAccounts(at.aws, at.tables).createKey(key);
  return key;
}

/** Calls that end well, that fail, that die, and one that dies and ends well after all. */
async function useCalls(at: Place, organization: Organization): Promise<void> {
  const { clock, aws, tables } = at;
  const { id, wallet, subscription } = organization;
  const ledger = createLedger(aws, tables, () => clock.now);
  await credit(
    organization,
    { points: "40", reference: "gift", kind: "promotional" },
    { ledger, now: () => clock.now },
  );
  await credit(
    organization,
    { points: "-1", reference: "wrong", kind: "adjustment" },
    { ledger, now: () => clock.now },
  );
  const limits = { budget_points: "20", budget_period: "total" } as const;
  const keys = {
    payg: await newKey(at, organization, { project: "shop", limits }),
    subscription: await newKey(at, organization, { mode: "subscription" }),
  };
  const begin = async (key: KeyRecord) => {
    clock.now += minute;
    const anchor = subscription && anchorAt(subscription, clock.now);
    const hold: Hold = {
      ...(key.mode === "payg"
        ? walletHold(wallet?.meter ?? "", "5", clock.now, key.id)
        : planHold(
            subscription?.meter ?? "",
            planLimits({ period: quotaPeriod(anchor ?? 0, clock.now) }),
            10,
            clock.now,
            key.id,
          )),
      ...(key.limits && { limits: key.limits, listPoints: parsePoints("5") }),
    };
    const call = { kind: "chat", model: "acme/Sonic-1-5", price, input_tokens: 100, user: "jo" } as const;
    const intent = intentFor(hold, key, call);
    const meters = createMeters(aws, tables);
    await meters.intend(intent);
    const ticket = await admit(meters, hold);
    return { hold, intent, ticket, meters };
  };
  const end = async (key: KeyRecord, change: Partial<Parameters<typeof endCall>[1]> = {}) => {
    const { intent, ticket, meters } = await begin(key);
    const event = ended(intent, clock.now + 2000, change);
    await meters.settle(ticket, settlementOfEvent(event));
    await ledger.record([event]);
  };
  const replay = { request: newId("request", clock.now), fingerprint: "f", state: "running" } as const;
  await createReplays(aws, tables).claim("a scope", replay, clock.now);
  for (const key of Object.values(keys)) {
    await end(key);
    await end(key, { usage: { ...noUsage, input_tokens: 7_000, output_tokens: 9, cache_read_tokens: 31 } });
    const failed = { outcome: "failed", error: "upstream_error", usage: noUsage, evidence: "none" } as const;
    await end(key, { ...failed, free: true, flags: ["empty"] });
    const died = await begin(key);
    const again = await begin(key);
    clock.now += 30 * minute;
    const accounts = createAccounts(aws, tables);
    const deps = { accounts, meters: died.meters, ledger, replays: createReplays(aws, tables) };
    await sweep({}, { ...deps, log: () => {}, now: () => clock.now });
    await ledger.record([ended(again.intent, clock.now, {})]);
  }
  await newKey(at, { ...organization, id }, { mode: "subscription", created_by: "usr_gone" });
}

function ended(intent: Intent, at: number, change: Partial<Parameters<typeof endCall>[1]>): UsageEvent {
  const { request, input_tokens: _, hold_points: __, period: ___, scope: ____, ...call } = intent;
  return endCall(
    { id: request, ...call },
    {
      ...{ at, free: false, flags: [], usage: { ...noUsage, input_tokens: 1_200, output_tokens: 340 } },
      ...{ evidence: "reported", source: "gateway", outcome: "completed", provider: "acme", attempts: 1 },
      ...change,
    },
  );
}

/** A video that was made, one that failed, and one that nobody heard of again. */
async function useVideos(at: Place, organization: Organization): Promise<void> {
  const { aws, tables, clock } = at;
  const tasks = createTasks(aws, tables, () => clock.now);
  const scenario = createVideoScenario(tasks, createMeters(aws, tables));
  const caller = { key: await newKey(at, organization, {}), organization };
  const order = async () => {
    scenario.clock.now = clock.now += minute;
    const id = await orderVideo(scenario, caller);
    const task = await tasks.find(organization.id, id);
    if (!task) throw new Error("no task");
    return task;
  };
  const states = ["succeed", "failed"] as const;
  for (const state of states) {
    const { id } = await order();
    const step = { task: id, organization: organization.id, polls: 0 };
    await work({ ...step, action: "submit" }, scenario.deps);
    for (const key of scenario.provider.tasks.keys()) scenario.provider.tasks.set(key, state);
    await work({ ...step, action: "poll" }, scenario.deps);
    clock.now = scenario.clock.now;
    const task = await tasks.find(organization.id, id);
    if (task?.status !== state) throw new Error(`the video is ${task?.status}`);
  }
  await expire(await order(), scenario.deps);
}

/** What the schedules do in the next month: fees, and the seals of days and of the month. */
async function useSchedules(at: Place): Promise<void> {
  const { clock, aws, tables } = at;
  clock.now = Date.parse("2026-12-01T03:00:00Z");
  const accounts = createAccounts(aws, tables);
  const now = () => clock.now;
  const ledger = createLedger(aws, tables, now);
  await postPlanFees({ accounts, ledger, plan: catalog.plan, log: () => {}, now });
  await seal({ ledger, seals: createSeals(aws, tables), log: () => {}, now });
}
