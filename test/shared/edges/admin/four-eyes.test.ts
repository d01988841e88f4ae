/** Large credits take two persons. They are booked once, also where two confirm at a time. */
import { describe, expect, test } from "vitest";
import { dayMs } from "#shared/books/billing/period.ts";
import { revokeAdminToken } from "#shared/edges/operator/admin-tokens.ts";
import { creditLine } from "#shared/edges/operator/credits.ts";
import { credit } from "#shared/edges/operator/organizations.ts";
import { adminLimits } from "#shared/people/admin/bounds.ts";
import { type CreditProposal, type CreditProposals, needsFourEyes } from "#shared/people/admin/credits.ts";
import { openAdmin, openFinance } from "#test/support/admin.ts";
import { useStores } from "#test/support/stores.ts";

const { db, ledger } = useStores();
const opened = () => openFinance(db);
const reason = "ticket 4711";

describe("four eyes", () => {
  test("are needed above the sum, in both directions, and not at it", () => {
    const most = 100n;
    expect([101n, 100n, -100n, -101n].map((points) => needsFourEyes(points, most))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test("a large credit waits, and another person's token books it with both names", async () => {
    const { ask, acme, ann, bob, balance, lines, propose } = await opened();
    const id = await propose("big");
    expect([await balance(), await lines()]).toEqual(["0", []]);
    const dry = await ask(bob.token, `POST /proposals/${id}/confirm?dry_run=true`, { body: { reason } });
    expect(dry.body).toMatchObject({ would: "book", balance_points: "0", balance_points_after: "500" });
    expect(await balance()).toBe("0");
    const { status, body } = await ask(bob.token, `POST /proposals/${id}/confirm`, { body: { reason } });
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ id, state: "confirmed", decided_why: reason },
        proposed_by: { token: ann.id, name: "Ann", person: "ann@example.com" },
        decided_by: { token: bob.id, name: "Bob", person: "bob@example.com" },
        organization: { credit: { reference: "big", points: "500" }, wallet: { balance_points: "500" } },
      },
    ]);
    expect(await balance()).toBe("500");
    expect(await lines()).toMatchObject([
      {
        ...{ actor: "operator", actor_name: "Bob", credential: bob.id },
        after: {
          points: "500",
          reference: "big",
          reason: "a letter",
          proposed_by: `Ann (${ann.id})`,
          confirmed_reason: reason,
        },
      },
    ]);
    expect((await ask(ann.token, `GET /proposals/${id}`)).body).toMatchObject({ state: "confirmed" });
    expect((await ask(acme.id, `GET /proposals/${id}`)).status).toBe(401);
  });

  test("neither the same token nor another one of the same person may confirm, nor one without finance", async () => {
    const { ask, tokenOf, ann, balance, propose } = await opened();
    const id = await propose("big");
    const second = await tokenOf(["finance"], " ANN@Example.com ", "Ann's other");
    const support = await tokenOf(["support", "ops"], "eve@example.com");
    for (const [token, code] of [
      [ann.token, 40910],
      [second.token, 40910],
      [support.token, 40300],
    ] as const)
      for (const query of ["", "?dry_run=true"]) {
        const { body } = await ask(token, `POST /proposals/${id}/confirm${query}`, { body: { reason } });
        expect(body.error.code).toBe(code);
      }
    expect(await balance()).toBe("0");
  });

  test("another spelling of an address is no other person", async () => {
    const { ask, tokenOf, balance, propose } = await opened();
    const id = await propose("big");
    for (const person of ["ann+b@example.com", "A.n.n@example.com"]) {
      const { token } = await tokenOf(["finance"], person);
      const { body } = await ask(token, `POST /proposals/${id}/confirm`, { body: { reason } });
      expect([person, body.error.code, body.error.message]).toEqual([
        person,
        40910,
        expect.stringContaining("mailbox"),
      ]);
    }
    expect(await balance()).toBe("0");
  });

  test("in a race of confirmations, one books, and the others are told who did", async () => {
    const { ask, tokenOf, bob, balance, booked, lines, propose } = await opened();
    const id = await propose("big");
    const others = await Promise.all(
      ["carl", "dora", "emil"].map((name) => tokenOf(["finance"], `${name}@example.com`, name)),
    );
    const answers = await Promise.all(
      [bob, ...others].map(({ token }) => ask(token, `POST /proposals/${id}/confirm`, { body: { reason } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200)?.body.decided_by;
    for (const { status, body } of answers)
      if (status === 409)
        expect(body.error.message).toContain(`confirmed by ${winner.name} (${winner.token})`);
    expect([await balance(), await booked(), (await lines()).length]).toEqual(["500", ["500"], 1]);
  });

  test("the same token that confirms twice at a time is answered twice, and it is booked once", async () => {
    const { ask, bob, balance, booked, lines, propose } = await opened();
    const id = await propose("big");
    const confirm = () => ask(bob.token, `POST /proposals/${id}/confirm`, { body: { reason } });
    const [one, other] = await Promise.all([confirm(), confirm()]);
    expect([one.status, other.status, (await confirm()).status]).toEqual([200, 200, 200]);
    expect([await balance(), await booked(), (await lines()).length]).toEqual(["500", ["500"], 1]);
  });

  test("a proposal ends by itself, and a token that was revoked has no part in any", async () => {
    const { ask, tokens, desk, ann, bob, balance, propose } = await opened();
    const [late, stolen] = [await propose("late"), await propose("stolen")];
    await revokeAdminToken(ann.id, "operator", { tokens, now: desk.deps.now });
    for (const query of ["", "?dry_run=true"]) {
      const refused = await ask(bob.token, `POST /proposals/${stolen}/confirm${query}`, { body: { reason } });
      expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining("revoked")]);
    }
    desk.clock.now += adminLimits.proposalHours * 3_600_000;
    const over = await ask(bob.token, `POST /proposals/${late}/confirm`, { body: { reason } });
    expect([over.status, over.body.error.message]).toEqual([409, expect.stringContaining("over")]);
    expect((await ask(bob.token, `GET /proposals/${late}`)).body.state).toBe("over");
    expect(await balance()).toBe("0");
  });

  test("a refused proposal is never booked; who proposed it may take it back", async () => {
    const { ask, ann, bob, balance, propose } = await opened();
    const [his, own] = [await propose("his"), await propose("own")];
    const refuse = (token: string, id: string) =>
      ask(token, `POST /proposals/${id}/refuse`, { body: { reason } });
    expect((await refuse(bob.token, his)).body).toMatchObject({
      state: "refused",
      decided_by: { name: "Bob" },
    });
    expect((await refuse(ann.token, own)).body).toMatchObject({
      state: "refused",
      decided_by: { name: "Ann" },
    });
    for (const id of [his, own]) {
      const { status } = await ask(bob.token, `POST /proposals/${id}/confirm`, { body: { reason } });
      expect(status).toBe(409);
    }
    expect((await refuse(ann.token, his)).status).toBe(409);
    expect(
      (await ask(ann.token, `POST /proposals/${his}/refuse?dry_run=true`, { body: { reason } })).status,
    ).toBe(409);
    expect(await balance()).toBe("0");
  });

  test("where one confirms and another one refuses at a time, one of the two has happened", async () => {
    const { ask, tokenOf, ann, bob, balance, lines, propose } = await opened();
    const { token: carl } = await tokenOf(["finance"], "carl@example.com", "Carl");
    let booked = 0;
    for (const reference of ["a", "b", "c", "d", "e", "f"]) {
      const id = await propose(reference);
      const decide = (token: string, what: string) =>
        ask(token, `POST /proposals/${id}/${what}`, { body: { reason } });
      const [confirmed, refused] = await Promise.all([decide(bob.token, "confirm"), decide(carl, "refuse")]);
      expect([confirmed.status, refused.status].toSorted()).toEqual([200, 409]);
      if (confirmed.status === 200) booked += 1;
      const { state } = (await ask(ann.token, `GET /proposals/${id}`)).body;
      expect(state).toBe(confirmed.status === 200 ? "confirmed" : "refused");
    }
    expect([await balance(), (await lines()).length]).toEqual([String(500 * booked), booked]);
  });

  test("a reference that was booked meanwhile is not booked again", async () => {
    const { ask, acme, ann, bob, deps, balance, propose } = await opened();
    const id = await propose("big");
    await credit(acme, { points: "500", reference: "big" }, { ledger, now: deps.now });
    const { status, body } = await ask(bob.token, `POST /proposals/${id}/confirm`, { body: { reason } });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining("booked already")]);
    const again = { body: { points: "500", reference: "big", reason } };
    expect((await ask(ann.token, `POST /organizations/${acme.id}/credits`, again)).status).toBe(409);
    expect(await balance()).toBe("500");
  });

  test("taking out a large sum waits too, and is refused where it is gone by then", async () => {
    const { ask, acme, bob, deps, balance, propose } = await opened();
    await credit(acme, { points: "500", reference: "in" }, { ledger, now: deps.now });
    const id = await propose("out", "-400");
    await credit(acme, { points: "-200", reference: "spent" }, { ledger, now: deps.now });
    const { body } = await ask(bob.token, `POST /proposals/${id}/confirm`, { body: { reason } });
    expect([body.error.code, await balance()]).toEqual([40201, "300"]);
    const dry = await ask(bob.token, `POST /proposals/${id}/confirm?dry_run=true`, { body: { reason } });
    expect(dry.body.error).toMatchObject({ code: 40201, message: body.error.message });
    await credit(acme, { points: "100", reference: "more" }, { ledger, now: deps.now });
    expect((await ask(bob.token, `POST /proposals/${id}/confirm`, { body: { reason } })).status).toBe(200);
    expect(await balance()).toBe("0");
  });
});

test("a token that has ended, or was revoked at that moment, has no part in a booking", async () => {
  const { ask, acme, ann, bob, tokens, deps, desk, balance, propose } = await opened();
  const [ended, revoked] = [await propose("ended"), await propose("revoked")];
  const proposal = (await deps.proposals.read(ended)) as CreditProposal;
  const { ends_at = 0 } = (await tokens.read(ann.id)) ?? {};
  const credit = {
    ...{ organization: acme.id, meter: acme.wallet?.meter ?? "", points: 5n },
    reference: "ended",
  };
  const by = { token: bob.id, name: "Bob", person: "bob@example.com" };
  const entry = creditLine({ ...credit, at: ends_at }, {});
  const confirmAt = async (at: number) =>
    await deps.proposals.confirm(
      { ...proposal, ends_at: ends_at + 1 },
      { by, at, why: reason },
      { credit: { ...credit, at }, entry },
    );
  expect(await confirmAt(ends_at)).toBe(false);
  const proposals = {
    ...deps.proposals,
    confirm: async (...given: Parameters<CreditProposals["confirm"]>) => {
      await revokeAdminToken(ann.id, "operator", { tokens, now: desk.deps.now });
      return await deps.proposals.confirm(...given);
    },
  };
  const { status, body } = await openAdmin(db, { proposals }).ask(
    bob.token,
    `POST /proposals/${revoked}/confirm`,
    { body: { reason } },
  );
  expect([status, body.error.code, await balance()]).toEqual([409, 40910, "0"]);
  expect(
    (await ask(bob.token, `POST /proposals/${ended}/confirm?dry_run=true`, { body: { reason } })).status,
  ).toBe(409);
});

describe("the sum of a person's credits of a day", () => {
  test("is bounded in both directions, over tokens, spellings and organizations", async () => {
    const { ask, acme, desk, deps, tokenOf, balance, lines } = await opened();
    const [one, other] = [
      await tokenOf(["finance"], "dan@example.com", "Dan"),
      await tokenOf(["finance"], "d.an+x@example.com", "Dan's other"),
    ];
    const second = await desk.newOrganization();
    const book = async (token: string, points: string, reference: string, query = "", to = acme) =>
      await ask(token, `POST /organizations/${to.id}/credits${query}`, {
        body: { points, reference, reason },
      });
    expect((await book(one.token, "60", "a")).status).toBe(200);
    expect((await book(other.token, "-20", "b")).status).toBe(200);
    // 80 of 100 are moved. What is repeated moves nothing.
    expect((await book(one.token, "60", "a")).body.credit.booked).toBe(false);
    expect((await book(one.token, "20.000000000000000001", "c", "?dry_run=true", second)).body.would).toBe(
      "propose",
    );
    const proposed = await book(one.token, "20.000000000000000001", "c", "", second);
    expect([proposed.status, proposed.body.state]).toEqual([202, "open"]);
    expect((await book(one.token, "20", "d", "?dry_run=true")).body.would).toBe("book");
    expect((await book(one.token, "20", "d")).status).toBe(200);
    // The sum is full: the same again books nothing, and the smallest credit waits.
    expect((await book(one.token, "60", "a")).body.credit.booked).toBe(false);
    expect((await book(other.token, "-0.000000000000000001", "e")).status).toBe(202);
    expect([await balance(), (await lines()).length]).toEqual(["60", 3]);
    expect(await deps.credits.movedAlone("dan@example.com", desk.clock.now)).toBe(deps.fourEyesPoints);
    desk.clock.now += dayMs;
    expect((await book(other.token, "100", "f")).status).toBe(200);
  });

  test("has room once for credits that come at a time", async () => {
    const { ask, acme, tokenOf, balance, lines } = await opened();
    const { token } = await tokenOf(["finance"], "eva@example.com", "Eva");
    const answers = await Promise.all(
      ["a", "b", "c", "d", "e"].map((reference) =>
        ask(token, `POST /organizations/${acme.id}/credits`, { body: { points: "40", reference, reason } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 202, 202, 202]);
    expect([await balance(), (await lines()).length]).toEqual(["80", 2]);
  });
});

test("proposals are listed page by page, the newest first", async () => {
  const { ask, ann, desk, propose } = await opened();
  const made: string[] = [];
  for (const reference of ["a", "b", "c"]) {
    desk.clock.now += 1_000;
    made.unshift(await propose(reference));
  }
  const first = await ask(ann.token, "GET /proposals?limit=2");
  expect(first.body).toMatchObject({ object: "list", has_more: true, last_id: made[1] });
  const rest = await ask(ann.token, `GET /proposals?limit=1&after=${made[1]}`);
  expect(rest.body.data).toMatchObject([{ id: made[2] }]);
  expect((await ask(ann.token, "GET /proposals?after=x")).body.error.code).toBe(40000);
  expect((await ask(ann.token, "GET /proposals/x")).body.error.code).toBe(40400);
});
