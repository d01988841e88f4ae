/** Credits by the operators' API: each is booked once, with who and why. What is wrong changes nothing. */
import { describe, expect, test } from "vitest";
import { peppersOf } from "#shared/base/platform/pepper.ts";
import type { ReplayRecord } from "#shared/calls/access/replays.ts";
import { revokeAdminToken } from "#shared/edges/operator/admin-tokens.ts";
import { adminLimits } from "#shared/people/admin/bounds.ts";
import { openAdmin, openFinance } from "#test/support/admin.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const opened = () => openFinance(db);
const reason = "ticket 4711";

describe("a credit", () => {
  test("is booked with its line, which tells who and why", async () => {
    const { ask, acme, ann, balance, lines } = await opened();
    const body = { points: "50", reference: "t-1", kind: "promotional", reason };
    const { status, body: shown } = await ask(ann.token, `POST /organizations/${acme.id}/credits`, { body });
    expect([status, shown.credit, shown.wallet.balance_points]).toMatchObject([
      200,
      { reference: "t-1", kind: "promotional", points: "50", booked: true },
      "50",
    ]);
    expect(await balance()).toBe("50");
    expect(await lines()).toMatchObject([
      {
        ...{ kind: "points_credited", actor: "operator", actor_name: "Ann", credential: ann.id, ip: null },
        after: { points: "50", reference: "t-1", reason },
      },
    ]);
  });

  test("is booked once under its reference, and another amount under it is refused", async () => {
    const { ask, acme, ann, balance, lines } = await opened();
    const route = `POST /organizations/${acme.id}/credits`;
    const body = { points: "5", reference: "t-1", reason };
    const first = await ask(ann.token, route, { body });
    const again = await ask(ann.token, route, { body });
    expect([first.body.credit.booked, again.body.credit.booked]).toEqual([true, false]);
    const other = await ask(ann.token, route, { body: { ...body, points: "6" } });
    expect([other.status, other.body.error.code]).toEqual([400, 40000]);
    expect([await balance(), (await lines()).length]).toEqual(["5", 1]);
  });

  test("takes out no more than is there, exactly", async () => {
    const { ask, acme, ann, balance } = await opened();
    const route = `POST /organizations/${acme.id}/credits`;
    await ask(ann.token, route, { body: { points: "0.000000000000000003", reference: "in", reason } });
    const out = (points: string, reference: string) =>
      ask(ann.token, route, { body: { points, reference, reason } });
    expect((await out("-0.000000000000000004", "a")).body.error.code).toBe(40201);
    expect((await out("-0.000000000000000002", "b")).status).toBe(200);
    expect(await balance()).toBe("0.000000000000000001");
  });
});

describe("what is refused, and changes nothing", () => {
  const good = { points: "5", reference: "t-1", reason };
  test.each<[string, object, RegExp]>([
    ["no reason", { points: "5", reference: "t-1" }, /reason/],
    ["an empty reason", { ...good, reason: "  " }, /reason/],
    ...["\n", "\u2028", "\u2029", "\u202e", "\u200b", "\ud800"].map((unseen): [string, object, RegExp] => [
      `a reason with ${JSON.stringify(unseen)}`,
      { ...good, reason: `a${unseen}b` },
      /reason/,
    ]),
    ["a long reason", { ...good, reason: "x".repeat(adminLimits.reasonCharsMax + 1) }, /reason/],
    ["a number as points", { ...good, points: 5 }, /points/],
    ["no points", { reference: "t-1", reason }, /points/],
    ["words as points", { ...good, points: "five" }, /five/],
    ["points of nothing", { ...good, points: "0" }, /not be 0/],
    ["an exponent", { ...good, points: "1e3" }, /1e3/],
    ["no reference", { points: "5", reason }, /reference/],
    ["a reference with spaces", { ...good, reference: "a b" }, /reference/],
    ["an order's reference", { ...good, reference: "order.ord_1" }, /reference/],
    ["a refund's reference", { ...good, reference: "refund.rfd_1.back" }, /reference/],
    ["an opening balance's reference", { ...good, reference: "opening" }, /reference/],
    ["an unknown kind", { ...good, kind: "plan" }, /kind/],
    ["a gift that takes", { ...good, points: "-5", kind: "promotional" }, /positive/],
    // Mass assignment: none of these is a field.
    ["who proposes", { ...good, proposed_by: "bob@example.com" }, /proposed_by/],
    ["a meter", { ...good, meter: "mtr_1" }, /meter/],
    ["an account", { ...good, account: "cash:me" }, /account/],
    ["an organization", { ...good, organization: "org_1" }, /organization/],
    ["a state", { ...good, state: "confirmed" }, /state/],
    [
      "a prototype",
      JSON.parse('{"__proto__":{"points":"5"},"reference":"t","reason":"x"}') as object,
      /proto|points/,
    ],
  ])("%s", async (_, body, said) => {
    const { ask, acme, ann, balance, lines } = await opened();
    for (const route of ["", "?dry_run=true"]) {
      const answer = await ask(ann.token, `POST /organizations/${acme.id}/credits${route}`, { body });
      expect([answer.status, answer.body.error.code]).toEqual([400, 40000]);
      expect(answer.body.error.message).toMatch(said);
    }
    expect([await balance(), await lines()]).toEqual(["0", []]);
  });

  test("a field that is given twice, a form, and a body that is too large", async () => {
    const { ask, acme, ann, lines } = await opened();
    const route = `POST /organizations/${acme.id}/credits`;
    const twice = '{"points":"5","points":"500","reference":"t","reason":"x"}';
    expect((await ask(ann.token, route, { body: twice })).body.error.code).toBe(40000);
    const form = { body: "points=5", headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await ask(ann.token, route, form)).body.error.code).toBe(40000);
    const large = { body: { ...good, reason: "x".repeat(adminLimits.bodyBytesMax) } };
    expect((await ask(ann.token, route, large)).body.error.code).toBe(41300);
    expect(await lines()).toEqual([]);
  });

  test("an organization that is not there, or that has no wallet", async () => {
    const { ask, ann, desk } = await opened();
    const planned = await desk.newOrganization({ wallet: null });
    expect(
      (await ask(ann.token, `POST /organizations/${planned.id}/credits`, { body: good })).body.error.code,
    ).toBe(40000);
    for (const id of ["org_x", planned.id.replace(/.$/, "Z"), "%23", "-"])
      expect(
        (await ask(ann.token, `POST /organizations/${id}/credits`, { body: good })).body.error.code,
      ).toBe(40400);
  });
});

describe("a dry run", () => {
  test("says what would happen, and writes nothing", async () => {
    const { ask, acme, tokenOf, balance, lines, deps } = await opened();
    const { token } = await tokenOf(["finance"], "fay@example.com");
    const foresee = async (points: string) =>
      await ask(token, `POST /organizations/${acme.id}/credits?dry_run=true`, {
        body: { points, reference: "t-1", reason },
        once: null,
      });
    expect((await foresee("50")).body).toMatchObject({
      ...{ object: "dry_run", would: "book", balance_points: "0", balance_points_after: "50" },
    });
    expect((await foresee("100.000000000000000001")).body).toMatchObject({ would: "propose" });
    expect([await balance(), await lines()]).toEqual(["0", []]);
    const { proposals } = await deps.proposals.list({ limit: 50 });
    expect(proposals.filter(({ organization }) => organization === acme.id)).toEqual([]);
    const odd = await ask(token, `POST /organizations/${acme.id}/credits?dry_run=yes`, { body: {} });
    expect(odd.body.error.code).toBe(40000);
  });
});

describe("what a dry run says is what the write does", () => {
  const once = null;
  test("for a reference that is booked: nothing, or a refusal of another amount", async () => {
    const { ask, acme, ann, balance } = await opened();
    const route = `POST /organizations/${acme.id}/credits`;
    const body = { points: "5", reference: "t-1", reason };
    await ask(ann.token, route, { body });
    const dry = await ask(ann.token, `${route}?dry_run=true`, { body, once });
    expect(dry.body).toMatchObject({ would: "nothing", points: "5", balance_points_after: "5" });
    expect((await ask(ann.token, route, { body })).body.credit.booked).toBe(false);
    const other = { ...body, points: "6" };
    const refused = await ask(ann.token, `${route}?dry_run=true`, { body: other, once });
    expect(refused.body.error.message).toMatch(/has booked 5 points/);
    expect(refused.body.error.message).toBe(
      (await ask(ann.token, route, { body: other })).body.error.message,
    );
    expect(await balance()).toBe("5");
  });

  test("for more than is free: a refusal", async () => {
    const { ask, acme, ann } = await opened();
    const route = `POST /organizations/${acme.id}/credits`;
    await ask(ann.token, route, { body: { points: "5", reference: "in", reason } });
    const body = { points: "-5.1", reference: "out", reason };
    const [dry, real] = [
      await ask(ann.token, `${route}?dry_run=true`, { body, once }),
      await ask(ann.token, route, { body }),
    ];
    expect([dry.body.error.code, dry.body.error.message]).toEqual([40201, real.body.error.message]);
    const all = { ...body, points: "-5" };
    expect((await ask(ann.token, `${route}?dry_run=true`, { body: all, once })).body.would).toBe("book");
  });
});

test("a token that is revoked or ends while its credit is on the way books nothing", async () => {
  const { ask, acme, tokenOf, tokens, desk, deps, balance, lines } = await opened();
  const route = `POST /organizations/${acme.id}/credits`;
  const late = await tokenOf(["finance"], "late@example.com");
  const gone = await tokenOf(["finance"], "gone@example.com");
  const [{ ends_at = 0 } = {}] = [await tokens.read(late.id)];
  // It was let in, and a moment later it is over.
  const revoking = openAdmin(db, {
    credits: {
      ...deps.credits,
      book: async (...booking) => {
        await revokeAdminToken(gone.id, "operator", { tokens, now: desk.deps.now });
        return await deps.credits.book(...booking);
      },
    },
  });
  const ending = openAdmin(db, {
    credits: {
      ...deps.credits,
      book: async (credit, ...rest) => await deps.credits.book({ ...credit, at: ends_at }, ...rest),
    },
  });
  const body = { points: "5", reference: "t-1", reason };
  for (const [asking, { token }] of [
    [revoking, gone],
    [ending, late],
  ] as const) {
    const { status, body: refused } = await asking.ask(token, route, { body });
    expect([status, refused.error.code]).toEqual([401, 40100]);
  }
  expect([await balance(), await lines()]).toEqual(["0", []]);
  expect((await ask(late.token, route, { body })).status).toBe(200);
});

describe("an Idempotency-Key", () => {
  test("is needed, and must be visible ASCII", async () => {
    const { ask, acme, ann, lines } = await opened();
    const body = { points: "5", reference: "t-1", reason };
    for (const once of [null, "", "a b", "ü", "x".repeat(300)]) {
      const answer = await ask(ann.token, `POST /organizations/${acme.id}/credits`, { body, once });
      expect([once, answer.status, answer.body.error.code]).toEqual([once, 400, 40000]);
    }
    expect(await lines()).toEqual([]);
  });

  test("gives the first answer again, and is of one request of one token", async () => {
    const { ask, acme, ann, bob, booked, deps } = await opened();
    const route = `POST /organizations/${acme.id}/credits`;
    const body = { points: "500", reference: "t-1", reason };
    const first = await ask(ann.token, route, { body, once: "one" });
    const again = await ask(ann.token, route, { body, once: "one" });
    expect([again.status, again.body]).toEqual([202, first.body]);
    const { proposals } = await deps.proposals.list({ limit: 50 });
    expect(proposals.filter(({ organization }) => organization === acme.id)).toHaveLength(1);
    const other = await ask(ann.token, route, { body: { ...body, points: "5" }, once: "one" });
    expect([other.status, other.body.error.code]).toEqual([400, 40000]);
    const his = await ask(bob.token, route, { body: { points: "5", reference: "t-2", reason }, once: "one" });
    expect([his.status, await booked()]).toEqual([200, ["5"]]);
  });

  test("keeps its answer where only the same token, path and key can read it, also after a rotation", async () => {
    const { acme, ann, deps } = await opened();
    const route = `POST /organizations/${acme.id}/credits`;
    const asking = { body: { points: "500", reference: "t-1", reason }, once: "one" };
    const kept: Buffer[] = [];
    const replays = {
      ...deps.replays,
      conclude: async (scope: string, record: ReplayRecord) => {
        if (record.answer) kept.push(record.answer);
        await deps.replays.conclude(scope, record);
      },
    };
    const first = await openAdmin(db, { replays }).ask(ann.token, route, asking);
    expect(first.status).toBe(202);
    expect(kept).toHaveLength(1);
    for (const part of ["t-1", reason, first.body.id, "ann@example.com", "status"])
      expect([part, kept[0]?.includes(part)]).toEqual([part, false]);
    const old = await deps.peppers();
    const rotated = peppersOf({ version: 2, value: "newer" }, old.current, old.replayNames);
    const renewed = openAdmin(db, { peppers: async () => rotated });
    expect((await renewed.ask(ann.token, route, asking)).body).toEqual(first.body);
    const dropped = openAdmin(db, {
      peppers: async () => peppersOf(rotated.current, undefined, old.replayNames),
    });
    const { status, body } = await dropped.ask(ann.token, route, asking);
    expect([status, body.error.code, body.error.message]).toEqual([
      409,
      40900,
      expect.stringContaining("is done"),
    ]);
  });

  test("that was refused is free again", async () => {
    const { ask, acme, ann, booked } = await opened();
    const route = `POST /organizations/${acme.id}/credits`;
    const body = { points: "-5", reference: "out", reason };
    expect((await ask(ann.token, route, { body, once: "one" })).status).toBe(402);
    await ask(ann.token, route, { body: { points: "5", reference: "in", reason } });
    expect((await ask(ann.token, route, { body, once: "one" })).status).toBe(200);
    expect((await booked()).toSorted()).toEqual(["-5", "5"]);
  });

  test("of a write that runs is 40900, and of one that died is taken over", async () => {
    const { ask, acme, ann, desk, deps, booked } = await opened();
    const began = Promise.withResolvers<void>();
    const book = () => {
      began.resolve();
      return new Promise<never>(() => {});
    };
    const died = openAdmin(db, { credits: { ...deps.credits, book } });
    const route = `POST /organizations/${acme.id}/credits`;
    const asking = { body: { points: "5", reference: "t-1", reason }, once: "one" };
    void died.ask(ann.token, route, asking);
    await began.promise;
    expect((await ask(ann.token, route, asking)).body.error?.code).toBe(40900);
    desk.clock.now += adminLimits.runningMs + 1;
    expect((await ask(ann.token, route, asking)).status).toBe(200);
    expect([await booked(), deps.fourEyesPoints]).toEqual([["5"], 100n * 10n ** 18n]);
  });
});
