/** What a restore loses, by what the tables before it, dead letters and the log still know. */
import { describe, expect, it } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId, taskOf } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { creditEntry } from "#shared/books/ledger/credit.ts";
import type { CreditKind } from "#shared/books/ledger/ledger.ts";
import type { LogLine } from "#shared/edges/operator/trace-log.ts";
import { type Accounted, chargedAfter, type LossEvidence, lossesOf } from "#shared/edges/restore/losses.ts";
import { wayOf } from "#shared/edges/restore/rebooking.ts";
import { adjustmentEntry, usageEntry } from "#shared/edges/store/ledger/postings.ts";
import { seeded } from "#test/support/random.ts";
import { eventOf, noon, walletHold } from "#test/support/store.ts";

const organizationOf = (id: string, change: Partial<Organization> = {}): Organization => ({
  ...{ id, name: id, status: "active", subscription: null, wallet: null, permissions: [], created_at: noon },
  ...change,
});
const keyOf = (id: string, change: Partial<KeyRecord> = {}): KeyRecord => ({
  ...{
    id,
    hash: id,
    organization: "org_1",
    project: "",
    name: "",
    mode: "payg",
    permissions: [],
    limits: null,
  },
  ...{ status: "active", last_four: "", created_at: noon, expires_at: null, ...change },
});
const nothing: Omit<LossEvidence, "source" | "restored"> = { entries: [], letters: [], logged: [] };

/** Organizations and keys of both tables, by chance: each is in one of them or in both, and may be closed in either. */
function drawn(seed: number): { source: Accounted; restored: Accounted } {
  const chance = seeded(seed);
  const source: Accounted = { organizations: [], keys: [] };
  const restored: Accounted = { organizations: [], keys: [] };
  for (let at = 0; at < 20; at++) {
    for (const side of [source, restored]) {
      const [status, keyStatus] = [chance(2) === 0, chance(2) === 0];
      if (chance(4) > 0)
        side.organizations.push(organizationOf(`org_${at}`, { status: status ? "active" : "frozen" }));
      if (chance(4) > 0) side.keys.push(keyOf(`key_${at}`, { status: keyStatus ? "active" : "revoked" }));
    }
  }
  return { source, restored };
}

describe("losses", () => {
  it("are none where both tables say the same", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { source } = drawn(seed);
      const losses = lossesOf({ ...nothing, source, restored: structuredClone(source) });
      expect(Object.values(losses).flat()).toEqual([]);
    }
  });

  it("name every key and organization that is open again, and each that is gone, and no other", () => {
    for (let seed = 0; seed < 200; seed++) {
      const { source, restored } = drawn(seed);
      const losses = lossesOf({ ...nothing, source, restored });
      const stateOf = (records: { id: string; status: string }[], id: string) =>
        records.find((each) => each.id === id)?.status;
      for (let at = 0; at < 20; at++) {
        const [key, organization] = [`key_${at}`, `org_${at}`];
        const [was, is] = [stateOf(restored.keys, key), stateOf(source.keys, key)];
        expect(losses.revived.some(({ id }) => id === key)).toBe(was === "active" && is === "revoked");
        expect(losses.keys.some(({ id }) => id === key)).toBe(was === undefined && is !== undefined);
        const [before, now] = [restored, source].map((side) => stateOf(side.organizations, organization));
        expect(losses.thawed.some(({ id }) => id === organization)).toBe(
          before === "active" && now === "frozen",
        );
        expect(losses.organizations.some(({ id }) => id === organization)).toBe(
          before === undefined && now !== undefined,
        );
      }
    }
  });

  it("name a revoked key that the log alone knows, where the table before it is damaged", () => {
    const restored = { organizations: [], keys: [keyOf("key_a"), keyOf("key_b")] };
    const line = { level: "info", at: "", event: "key_revoked", key: "key_b" } as LogLine;
    const source = { organizations: [], keys: [keyOf("key_a")] };
    const { revived } = lossesOf({ ...nothing, source, restored, logged: [line] });
    expect(revived.map(({ id }) => id)).toEqual(["key_b"]);
  });

  it("have each call once, as the best evidence knows it", () => {
    const hold = walletHold("mtr_1", "5");
    const [guess, real] = [eventOf(hold, "0.5", { source: "sweeper" }), eventOf(hold, "0.2")];
    const letter = eventOf(walletHold("mtr_1", "5"), "0.03");
    const line = (request: string): LogLine => ({
      ...{ level: "info", at: "", event: "call", organization: "org_1", request, cost_points: "0.001" },
    });
    const accounts = { organizations: [], keys: [] };
    const { calls } = lossesOf({
      ...{ source: accounts, restored: accounts },
      entries: [adjustmentEntry(real, guess, noon), usageEntry(guess, noon)],
      letters: [letter, eventOf(hold, "9")],
      logged: [line(hold.request), line("req_0"), line(letter.id)],
    });
    const told = calls.map(({ request, points, known_from }) => [request, points, known_from]);
    expect(told.sort()).toEqual(
      [
        [hold.request, "0.2", "ledger"],
        [letter.id, "0.03", "dead letter"],
        ["req_0", "0.001", "log"],
      ].sort(),
    );
    expect(chargedAfter(calls)).toEqual({ known: "0.23", logged: "0.001" });
  });
});

it("credits are among the losses, but for points that a plan took: both are undone", () => {
  const accounts = { organizations: [organizationOf("org_1")], keys: [] };
  const credit = (kind: CreditKind, points: bigint) =>
    creditEntry({ organization: "org_1", meter: "mtr_1", points, kind, reference: kind, at: noon });
  const entries = [credit("bought", 5n), credit("plan", -5n), credit("promotional", 5n)];
  const { credits } = lossesOf({ ...nothing, entries, source: accounts, restored: accounts });
  expect(credits.map(({ id }) => id)).toEqual(["credit#bought", "credit#promotional"]);
});

describe("what is missing of a call", () => {
  const id = newId("request", noon);
  const days = limits.intentLifetimeSeconds * 1000;
  const unknown = { shard: 0, held: false, intended: false };
  const soon = { instant: noon, now: noon + 3_600_000 };
  it.each([
    ["nothing, where it has no meter", id, { ...unknown, shard: undefined }, soon, "no_meter"],
    ["its entry, while its meter holds for it", id, { ...unknown, held: true }, soon, "entered"],
    ["its entry, where it was admitted and is not held", id, { ...unknown, intended: true }, soon, "entered"],
    ["its charge too, where it was not admitted yet", id, unknown, soon, "booked"],
    ["nothing, while its task runs", taskOf(id), { ...unknown, held: true }, soon, "task"],
    ["its charge too, where its task came later", taskOf(id), unknown, soon, "booked"],
    [
      "its entry, where it came before the instant and intents have expired",
      id,
      unknown,
      { instant: noon + 120_000, now: noon + days },
      "entered",
    ],
    [
      "its charge too, where it came after the instant and intents have expired",
      id,
      unknown,
      { instant: noon - 1, now: noon + days },
      "booked",
    ],
  ] as const)("is %s", (_, request, known, when, way) => {
    expect(wayOf({ id: request }, known, when)).toBe(way);
  });
});
