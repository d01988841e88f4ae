/** Pages, evidence, audits and aliases of the semantic level on the embedded DynamoDB, and the sums of a month. */
import { describe, expect, test } from "vitest";
import { type Aws, AwsError, isOverload } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { offUntil } from "#shared/calls/cache/semantic/evidence.ts";
import type { ContextPlace } from "#shared/calls/cache/semantic/store.ts";
import { switchOffIfDue } from "#shared/calls/cache/semantic/switch-off.ts";
import { emptyMonth } from "#shared/calls/cache/statistics.ts";
import { createSemanticStore } from "#shared/edges/store/cache-semantic.ts";
import { createCacheStatistics } from "#shared/edges/store/cache-statistics.ts";
import { auditKey, evidenceKey, pageKey } from "#shared/edges/store/dynamodb/cache-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { counting, noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const store = createSemanticStore(db.aws, db.tables);
const statistics = createCacheStatistics(db.aws, db.tables);

let contexts = 0;
/** A context, a scope and an organization that no other test has. */
const newPlace = (change: Partial<ContextPlace> = {}): ContextPlace => {
  const n = String(++contexts).padStart(22, "0");
  return { scope: `s${n}`, context: `c${n}`, organization: `org_${n}`, project: "", ...change };
};
const none = { lookups: 0, candidates: 0, confirmed: 0, denied: 0, agreed: 0, refuted: 0, off_until: 0 };
const page = (text: string, version: number) => ({ bytes: Buffer.from(text), version, until: noon + 1_500 });
const day = 86_400_000;

describe("pages", () => {
  test("are read with the evidence of their context, and with those of no other", async () => {
    const place = newPlace();
    const other = { ...place, context: newPlace().context };
    expect(await store.read(place)).toEqual({ pages: new Map(), evidence: none });
    await store.putPage(place, "0", page("zero", 0));
    await store.putPage(place, "f", page("last", 0));
    await store.putPage(other, "0", page("other", 0));
    await store.count(place, { lookups: 1 }, noon);
    const { pages, evidence } = await store.read(place);
    expect([...pages]).toEqual([
      ["0", { bytes: Buffer.from("zero"), version: 1 }],
      ["f", { bytes: Buffer.from("last"), version: 1 }],
    ]);
    expect(evidence).toEqual({ ...none, lookups: 1 });
    const item = await getItem(db.aws, db.tables.cache, pageKey(place.scope, place.context, "0"));
    expect(item?.expires_at).toEqual({ N: String(noon / 1000 + 2) });
  });

  test("are put over the one that was read, so of two writers one tries again", async () => {
    const place = newPlace();
    const first = await Promise.all(["a", "b"].map((text) => store.putPage(place, "0", page(text, 0))));
    expect(first.sort()).toEqual([false, true]);
    expect((await store.readPage(place, "0"))?.version).toBe(1);
    const second = await Promise.all(["c", "d"].map((text) => store.putPage(place, "0", page(text, 1))));
    expect(second.sort()).toEqual([false, true]);
    expect(await store.putPage(place, "0", page("old", 1))).toBe(false);
    expect(await store.readPage(place, "0")).toMatchObject({ version: 2 });
    expect(await store.readPage(place, "1")).toBeUndefined();
  });

  test("a look-up asks once, and pays half a unit for up to 4 KB", async () => {
    const place = newPlace();
    await store.putPage(place, "0", page("x".repeat(3_000), 0));
    const { aws, units } = counting(db.aws);
    await createSemanticStore(aws, db.tables).read(place);
    expect(Object.fromEntries(units)).toEqual({ Query: 0.5 });
  });
});

describe("evidence", () => {
  test("of many processes adds up, and each is given it as it then is", async () => {
    const place = newPlace();
    const seen = await Promise.all(
      Array.from({ length: 9 }, () => store.count(place, { lookups: 1, agreed: 2 }, noon)),
    );
    expect(seen.map(({ lookups }) => lookups).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await store.read(place)).evidence).toEqual({ ...none, lookups: 9, agreed: 18 });
  });

  test("counts an audited call once, however often and whatever it is told", async () => {
    const place = newPlace();
    const request = newId("request", noon);
    const told = await Promise.all(
      Array.from({ length: 3 }, () => store.countAudit(place, { request, verdict: "refuted" }, noon)),
    );
    expect(told.every(({ refuted }) => refuted === 1)).toBe(true);
    expect(await store.countAudit(place, { request, verdict: "agreed" }, noon)).toEqual({
      ...none,
      refuted: 1,
    });
    await store.countAudit(place, { request: newId("request", noon), verdict: "agreed" }, noon);
    expect((await store.read(place)).evidence).toEqual({ ...none, refuted: 1, agreed: 1 });
    expect(await statistics.read(place.organization, "", noon)).toEqual({
      ...emptyMonth,
      refuted: 1,
      agreed: 1,
    });
    const mark = await getItem(db.aws, db.tables.cache, auditKey(place.scope, request));
    expect(mark).toMatchObject({
      verdict: { S: "refuted" },
      expires_at: { N: String((noon + 30 * day) / 1000) },
    });
  });

  test("begins anew where its context is switched off, which happens once until that is over", async () => {
    const place = newPlace();
    await store.count(place, { lookups: 100, candidates: 3, agreed: 1, refuted: 2 }, noon);
    const off = (now: number) => store.switchOff(place, now + day, now);
    expect((await Promise.all([off(noon), off(noon)])).sort()).toEqual([false, true]);
    expect((await store.read(place)).evidence).toEqual({ ...none, off_until: noon + day });
    expect(await off(noon + day - 1)).toBe(false);
    expect(await off(noon + day)).toBe(true);
    expect((await statistics.read(place.organization, "", noon)).switched_off).toBe(2);
    const item = await getItem(db.aws, db.tables.cache, evidenceKey(place.scope, place.context));
    expect(item?.expires_at).toEqual({ N: String((noon + 32 * day) / 1000) });
  });

  test("that comes late to a context that is off does not switch it off again when it begins anew", async () => {
    const place = newPlace();
    const refute = async (now: number) => {
      const request = newId("request", noon);
      const evidence = await store.countAudit(place, { request, verdict: "refuted" }, now);
      return await switchOffIfDue(place, evidence, { contexts: store, log: () => {}, now: () => now });
    };
    expect([await refute(noon), await refute(noon + 1)]).toEqual([true, false]);
    expect((await store.read(place)).evidence).toEqual({ ...none, off_until: noon + day });
    const evidence = await store.count(place, { lookups: 1 }, noon + day);
    expect(offUntil(evidence, noon + day)).toBeUndefined();
    expect((await statistics.read(place.organization, "", noon)).refuted).toBe(2);
  });

  test("that others always write meanwhile is load: the audit is told again, and is no failure", async () => {
    const CancellationReasons = [{ Code: "None" }, { Code: "None" }, { Code: "TransactionConflict" }];
    const busy: Aws = async () => {
      throw new AwsError("TransactionCanceledException", 400, { CancellationReasons });
    };
    const audit = { request: newId("request", noon), verdict: "agreed" as const };
    const told = createSemanticStore(busy, db.tables).countAudit(newPlace(), audit, noon);
    expect(isOverload(await told.catch((error: unknown) => error))).toBe(true);
  });

  test("costs a unit, and another one for the sums of the month", async () => {
    const { aws, units } = counting(db.aws);
    await createSemanticStore(aws, db.tables).count(newPlace(), { lookups: 1, candidates: 1 }, noon);
    expect(Object.fromEntries(units)).toEqual({ UpdateItem: 2 });
  });
});

describe("the sums of a month", () => {
  test("are those of all projects, or of one", async () => {
    const { organization } = newPlace();
    const add = (project: string, at: number) =>
      statistics.add({
        owner: { organization, project },
        added: { semantic: 1, saved_points: 10n ** 21n },
        at,
      });
    await Promise.all([add("", noon), add("one", noon), add("one", noon), add("one-more", noon)]);
    await add("one", noon + 31 * day);
    expect(await statistics.read(organization, undefined, noon)).toEqual({
      ...emptyMonth,
      semantic: 4,
      saved_points: 4n * 10n ** 21n,
    });
    expect((await statistics.read(organization, "one", noon)).semantic).toBe(2);
    expect((await statistics.read(organization, "", noon)).semantic).toBe(1);
    expect(await statistics.read("org_none", undefined, noon)).toEqual(emptyMonth);
  });
});
