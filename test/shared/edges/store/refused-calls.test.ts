/** Refused calls: found by id and by time, for a week, and no more of ten seconds than may be. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import { refusedBounds } from "#shared/calls/access/bounds.ts";
import type { RefusedCall } from "#shared/calls/access/refused-calls.ts";
import { RefusedNotes } from "#shared/calls/access/refused-notes.ts";
import { refusedKey } from "#shared/edges/store/dynamodb/cache-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, refusedCalls } = useStores();
const most = refusedBounds.callsMax;

/** A refused call of an organization, at so many milliseconds after noon. */
function refusedAt(organization: string, ms: number, change: Partial<RefusedCall> = {}): RefusedCall {
  return {
    request: newId("request", noon + ms),
    organization,
    project: "",
    key: "key_1",
    model: "test/model-1",
    path: "/v1/chat/completions",
    error: "rate_limited",
    ...change,
  };
}

const newOrganization = () => newId("organization", noon);

async function newest(organization: string, from: number, to: number): Promise<string[]> {
  const calls = (await refusedCalls()).newest(organization, noon + from, noon + to);
  return (await Array.fromAsync(calls)).map(({ request }) => request);
}

describe("a refused call", () => {
  test("is found by its id with all that was kept, by its organization alone", async () => {
    const own = newOrganization();
    const calls = await refusedCalls();
    const told = { project: "tower", model: null, error: "not_found", message: "No such model." } as const;
    const [first, second] = [refusedAt(own, 0), refusedAt(own, 1, told)];
    expect(await calls.add(first)).toBe(true);
    expect(await calls.add(second)).toBe(true);
    expect(await calls.find(own, first.request)).toEqual(first);
    expect(await calls.find(own, second.request)).toEqual(second);
    expect(await calls.find(own, newId("request", noon))).toBeUndefined();
    expect(await calls.find(newOrganization(), first.request)).toBeUndefined();
  });

  test("has a message of so many characters, whole ones, and is forgotten after a week", async () => {
    const own = newOrganization();
    const calls = await refusedCalls();
    const call = refusedAt(own, 0, { message: `${"x".repeat(refusedBounds.messageCharsMax - 1)}😀y` });
    await calls.add(call);
    const { message = "" } = (await calls.find(own, call.request)) ?? {};
    expect(message).toBe(`${"x".repeat(refusedBounds.messageCharsMax - 1)}\uFFFD`);
    const item = await getItem(db.aws, db.tables.cache, refusedKey(own, noon));
    expect(Number(item?.expires_at?.N)).toBe(noon / 1000 + 7 * 86_400);
  });

  test("whose error a later version wrote is left out, and the others are not", async () => {
    const own = newOrganization();
    const calls = await refusedCalls();
    const [known, unknown] = [refusedAt(own, 0), refusedAt(own, 1, { error: "of_2027" as never })];
    await calls.add(known);
    await calls.add(unknown);
    expect(await calls.find(own, unknown.request)).toBeUndefined();
    expect(await newest(own, 0, 10)).toEqual([known.request]);
  });

  test("is listed by its instant, the newest first, and never outside of the range", async () => {
    const own = newOrganization();
    const calls = await refusedCalls();
    const times = [-1, 0, 1, refusedBounds.slotMs - 1, refusedBounds.slotMs, 3_600_000, 3_600_001];
    const made = times.map((ms) => refusedAt(own, ms));
    for (const call of made) await calls.add(call);
    const within = made.filter(
      ({ request }) => timeOf(request) >= noon && timeOf(request) < noon + 3_600_001,
    );
    expect(await newest(own, 0, 3_600_001)).toEqual(within.map(({ request }) => request).reverse());
    expect(await newest(own, 5, 5)).toEqual([]);
  });
});

describe("a flood", () => {
  test("fills the item of its ten seconds, whichever processes write it, and the next ones have room", async () => {
    const own = newOrganization();
    const calls = await refusedCalls();
    const added = await Promise.all(
      Array.from({ length: most + 20 }, (_, ms) => calls.add(refusedAt(own, ms))),
    );
    expect(added.filter(Boolean)).toHaveLength(most);
    expect(await newest(own, 0, 1_000)).toHaveLength(most);
    expect(await calls.add(refusedAt(own, refusedBounds.slotMs))).toBe(true);
    expect(await calls.add(refusedAt(newOrganization(), 0))).toBe(true);
  });

  /** Notes in a process, and how many writes it has sent. */
  function notesOver(add: () => Promise<boolean>) {
    let writes = 0;
    const notes = new RefusedNotes({
      async add() {
        writes += 1;
        return await add();
      },
    });
    return { note: (call: RefusedCall) => notes.note(call), writes: () => writes };
  }

  test("costs a process no more writes than there is room for", async () => {
    const own = newOrganization();
    const { note, writes } = notesOver(async () => true);
    await Promise.all(Array.from({ length: 10_000 }, (_, at) => note(refusedAt(own, at % 1_000))));
    expect(writes()).toBe(most);
    await note(refusedAt(own, refusedBounds.slotMs));
    await note(refusedAt(newOrganization(), 0));
    expect(writes()).toBe(most + 2);
  });

  test("costs a process one write where others have filled the ten seconds", async () => {
    const own = newOrganization();
    const { note, writes } = notesOver(async () => false);
    for (let at = 0; at < 100; at++) await note(refusedAt(own, at));
    expect(writes()).toBe(1);
  });

  test("of organizations takes no more memory than so many, and a table that fails rejects nothing", async () => {
    const { note, writes } = notesOver(() => Promise.reject(new Error("down")));
    for (let at = 0; at < 3 * limits.refusalMemoryMax; at++) await note(refusedAt(`org_${at}`, 0));
    expect(writes()).toBe(3 * limits.refusalMemoryMax);
  });
});
