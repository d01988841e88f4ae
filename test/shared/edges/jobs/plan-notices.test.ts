/** Owners are told before a plan ends: at 7, 3 and 1 days, each once, and about the end as it is then. */
import { expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { tellPlanEnds } from "#shared/edges/jobs/plan-notices.ts";
import { setEnd } from "#shared/edges/operator/subscriptions.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createPlanEnds } from "#shared/edges/store/orders/plan-ends.ts";
import { sealContact } from "#shared/people/identity/contact.ts";
import { createIdentityKeys } from "#shared/people/identity/identity-keys.ts";
import type { PlanEnding } from "#shared/people/identity/sending.ts";
import type { Membership, Role, User } from "#shared/people/identity/user.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { quoteNow } from "#shared/people/orders/quote.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { morning, orderDeps, pendingOrder, signedUp } from "#test/support/orders.ts";
import { Trades } from "#test/support/trades.ts";

const day = 86_400_000;
const keys = createIdentityKeys(async () => readPeppers("a secret of accounts"));

/** An organization with two owners, of whom one is frozen, and a member; and with more owners, if wanted. */
async function shop({ isOn = true, fails = false, moreOwners = 0 } = {}) {
  const clock = { now: morning };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  const database = { aws: awsOverMemory(db), tables: db.tables };
  const trades = new Trades(() => clock.now);
  const orders = orderDeps(database, { alipay: trades }, clock);
  const { id } = await signedUp(database, morning - 60_000);
  const { current } = await keys();
  const roles: [user: string, role: Role][] = [
    ["usr_1", "owner"],
    ["usr_2", "owner"],
    ["usr_3", "member"],
    ...Array.from({ length: moreOwners }, (_, at): [string, Role] => [`usr_${4 + at}`, "owner"]),
  ];
  const people = roles.map(([user, role], at) => ({
    membership: { user, organization: id, role, since: 0 },
    user: {
      ...{ id: user, name: "Li", locale: "zh", status: at === 1 ? "frozen" : "active", organization: id },
      ...{ created_at: 0, ...sealContact({ kind: "phone", text: `+861380013000${at}` }, user, current) },
    } as User,
  }));
  const told: [phone: string, ending: PlanEnding, at: number][] = [];
  const deps = {
    ...orders,
    planEnds: createPlanEnds(database.aws, database.tables),
    members: {
      list: async () => ({ members: people.map(({ membership }) => membership), more: false }),
      users: async (ids: string[]) =>
        new Map(people.flatMap(({ user }) => (ids.includes(user.id) ? [[user.id, user] as const] : []))),
      otherOwner: async () => undefined,
      membership: async (_organization: string, user: string) =>
        people.find(({ membership }) => membership.user === user)?.membership as Membership | undefined,
    },
    keys,
    notices: {
      phone: {
        async planEnds(phone: string, ending: PlanEnding) {
          if (fails) throw new Error("no answer");
          if (isOn) told.push([phone, ending, clock.now]);
          return isOn;
        },
      },
      email: null,
    },
  };
  const buy = async () => {
    const wanted = { plan: "lite", period: "monthly" } as const;
    const { subscription } = (await deps.accounts.organization(id)) ?? {};
    if (!subscription) throw new Error("no subscription");
    const { action } = await quoteNow(id, subscription, { wanted, mayUpgrade: true }, deps);
    const plan: Order["plan"] = { ...wanted, action, from: null };
    const order = await pendingOrder(id, orders, { kind: "plan", plan, amount: 12_900, points: "129" });
    trades.pay(order.id);
    await takeNotice(trades.evidence(order.id, "alipay"), deps);
    return (await deps.accounts.organization(id))?.subscription?.ends_at ?? 0;
  };
  const end = async (ends_at: number | null) => {
    const { aws, tables } = database;
    const [accounts, ledger] = [createAccounts(aws, tables), createLedger(aws, tables, deps.now)];
    const organization = await accounts.organization(id);
    if (!organization) throw new Error("no organization");
    await setEnd(organization, ends_at, { ...deps, accounts, ledger, plan: deps.catalog.plan });
  };
  /** Runs each hour until an instant. */
  const until = async (at: number) => {
    for (; clock.now < at; clock.now += day / 24) await tellPlanEnds(deps);
  };
  /** The lines of the log about ends, the oldest first. */
  const lines = async () => {
    const { entries } = await createAuditLog(database.aws, database.tables).entries(id, { limit: 100 });
    return entries.filter(({ kind }) => kind === "plan_ending" || kind === "plan_ended").reverse();
  };
  return { clock, deps, told, buy, end, until, lines };
}

test("the owners are told 7, 3 and 1 days before, each once", async () => {
  const { told, buy, until } = await shop();
  const ends_at = await buy();
  await until(ends_at + 2 * day);
  expect(told.map(([phone, ending]) => [phone, ending])).toEqual([
    ["+8613800130000", { plan: "lite", days: 7 }],
    ["+8613800130000", { plan: "lite", days: 3 }],
    ["+8613800130000", { plan: "lite", days: 1 }],
  ]);
  for (const [, { days }, at] of told) expect(at - (ends_at - days * day)).toBeLessThan(day / 24);
});

test("the log has a line for each message, also where nobody gets one, and for the end", async () => {
  for (const isOn of [true, false]) {
    const { buy, until, lines } = await shop({ isOn });
    const ends_at = await buy();
    await until(ends_at - 1);
    const facts = { plan: "lite", ends_at: new Date(ends_at).toISOString() };
    const ending = [7, 3, 1].map((days) => ["plan_ending", { ...facts, days }]);
    expect((await lines()).map(({ kind, after }) => [kind, after])).toEqual(ending);
    await until(ends_at + 2 * day);
    const all = await lines();
    expect(all.map(({ kind, after }) => [kind, after])).toEqual([...ending, ["plan_ended", facts]]);
    expect(all.at(-1)).toMatchObject({ actor: "platform", before: null, ip: null });
    expect((all.at(-1)?.at ?? 0) - ends_at).toBeLessThan(day / 24);
  }
});

test("a plan that goes on has no line of its end", async () => {
  const { buy, end, until, lines } = await shop();
  const ends_at = await buy();
  await until(ends_at - day / 2);
  await end(ends_at + 30 * day);
  await until(ends_at + day);
  expect((await lines()).map(({ kind }) => kind)).toEqual(["plan_ending", "plan_ending", "plan_ending"]);
});

test("a plan that is renewed is told before its new end", async () => {
  const { clock, told, buy, until } = await shop();
  const first = await buy();
  await until(first - 6 * day);
  expect(told.map(([, { days }]) => days)).toEqual([7]);
  const second = await buy();
  expect(second).toBeGreaterThan(first);
  await until(second - 7 * day);
  expect(told).toHaveLength(1);
  clock.now = second - 7 * day;
  await until(second + day);
  expect(told.map(([, { days }]) => days)).toEqual([7, 7, 3, 1]);
});

test("a plan that the operator ends is told before that end, earlier or later, also after the last message", async () => {
  const { clock, told, buy, end, until } = await shop();
  const bought = await buy();
  const earlier = clock.now + 10 * day;
  expect(earlier).toBeLessThan(bought - 7 * day);
  await end(earlier);
  await until(earlier - 6 * day);
  expect(told).toMatchObject([[expect.any(String), { days: 7 }, earlier - 7 * day]]);
  const near = clock.now + 2 * day;
  await end(near);
  await until(near + day);
  expect(told.slice(1)).toMatchObject([[expect.any(String), { days: 1 }, near - day]]);
  const later = clock.now + 20 * day;
  await end(later);
  await until(later + day);
  expect(told.slice(2).map(([, { days }, at]) => [days, later - at])).toEqual(
    [7, 3, 1].map((days) => [days, days * day]),
  );
});

test("a message is noted for nobody who has bought no plan, and an end that is taken away is not told", async () => {
  const { clock, deps, told, buy, end, until } = await shop();
  await end(clock.now + 10 * day);
  expect(await deps.planEnds.due(clock.now + 11 * day, 10)).toEqual([]);
  const bought = await buy();
  await end(bought - 10 * day);
  await end(null);
  await until(bought);
  expect(told).toEqual([]);
});

test("of runs at the same time one tells", async () => {
  const { clock, deps, told, buy } = await shop();
  clock.now = (await buy()) - 3 * day;
  const sent = await Promise.all(Array.from({ length: 10 }, () => tellPlanEnds(deps)));
  expect(sent.reduce((sum, each) => sum + each)).toBe(1);
  expect(told).toMatchObject([[expect.any(String), { days: 3 }, clock.now]]);
});

test("without a template nobody is told, and a message that cannot be sent is not tried again", async () => {
  for (const options of [{ isOn: false }, { fails: true }]) {
    const { deps, told, buy, until } = await shop(options);
    const ends_at = await buy();
    await until(ends_at + day);
    expect(told).toEqual([]);
    expect(await deps.planEnds.due(ends_at + day, 10)).toEqual([]);
    expect(deps.told.filter(({ event }) => event === "plan_notice_failed")).toEqual([]);
  }
});

test("a sender that hangs takes the time of one message, however many owners there are", async () => {
  const { clock, deps, buy } = await shop({ moreOwners: 3 });
  clock.now = (await buy()) - 3 * day;
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const planEnds = (phone: string) => {
    asked.push(phone);
    return new Promise<boolean>((resolve) => {
      answers.push(() => resolve(true));
      // The last of them is asked while none has had an answer.
      if (answers.length === 4) for (const answer of answers) answer();
    });
  };
  expect(await tellPlanEnds({ ...deps, notices: { phone: { planEnds }, email: null } })).toBe(4);
  expect(asked.toSorted()).toEqual(["0", "3", "4", "5"].map((last) => `+861380013000${last}`));
});

test("an owner with an address alone gets a mail, and so does one whose phone gets no message", async () => {
  for (const phone of [
    null,
    { planEnds: async () => false },
    { planEnds: () => Promise.reject(new Error()) },
  ]) {
    const { clock, deps, buy } = await shop();
    clock.now = (await buy()) - 3 * day;
    const mailed: string[] = [];
    const email = { planEnds: async (to: string) => mailed.push(to) > 0 };
    const users: typeof deps.members.users = async (ids) => {
      const found = await deps.members.users(ids);
      const { current } = await deps.keys();
      for (const [id, user] of found) {
        const address = sealContact({ kind: "email", text: "li@example.com" }, id, current);
        const { phone_box: _, ...rest } = user;
        found.set(id, { ...(phone ? user : rest), ...address });
      }
      return found;
    };
    const members = { ...deps.members, users };
    expect(await tellPlanEnds({ ...deps, members, notices: { phone, email } })).toBe(1);
    expect(mailed).toEqual(["li@example.com"]);
  }
});

test("an owner who wants no mails of plans gets none", async () => {
  const { clock, deps, buy } = await shop();
  clock.now = (await buy()) - 3 * day;
  const mailed: string[] = [];
  const email = { planEnds: async (to: string) => mailed.push(to) > 0 };
  const users: typeof deps.members.users = async (ids) => {
    const { current } = await deps.keys();
    const found = await deps.members.users(ids);
    const address = (id: string) => sealContact({ kind: "email", text: "li@example.com" }, id, current);
    return new Map([...found].map(([id, user]) => [id, { ...user, ...address(id) }]));
  };
  const membership: typeof deps.members.membership = async (organization, user) => {
    const found = await deps.members.membership(organization, user);
    return found && { ...found, mails: { plans: "none" } };
  };
  const members = { ...deps.members, users, membership };
  expect(await tellPlanEnds({ ...deps, members, notices: { phone: null, email } })).toBe(0);
  expect(mailed).toEqual([]);
});

test("what a run has no time for is not claimed, and the next one tells it", async () => {
  const { clock, deps, told, buy } = await shop();
  clock.now = (await buy()) - 3 * day;
  const slow: typeof deps.members.list = async () => {
    clock.now += consoleLimits.planNoticesMs;
    return await deps.members.list();
  };
  expect(await tellPlanEnds({ ...deps, members: { ...deps.members, list: slow } })).toBe(0);
  expect(told).toEqual([]);
  expect(await tellPlanEnds(deps)).toBe(1);
});

test("a run that cannot read what is due says so, and does not reject", async () => {
  const { deps } = await shop();
  const due = () => Promise.reject(new Error("throttled"));
  expect(await tellPlanEnds({ ...deps, planEnds: { ...deps.planEnds, due } })).toBe(0);
  expect(deps.told).toMatchObject([{ event: "plan_notice_failed", fields: { error: expect.anything() } }]);
});

test("a phone that cannot be opened keeps no other owner from the message", async () => {
  const { clock, deps, told, buy } = await shop({ moreOwners: 1 });
  clock.now = (await buy()) - 3 * day;
  const users: typeof deps.members.users = async (ids) => {
    const found = await deps.members.users(ids);
    const [first] = found.values();
    if (first) found.set(first.id, { ...first, phone_box: "broken" });
    return found;
  };
  expect(await tellPlanEnds({ ...deps, members: { ...deps.members, users } })).toBe(1);
  expect(told).toMatchObject([["+8613800130003", { days: 3 }, clock.now]]);
  expect(deps.told.filter(({ event }) => event === "plan_notice_failed")).toHaveLength(1);
});
