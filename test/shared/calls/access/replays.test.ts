/** The store of idempotency keys: one suite for DynamoDB and for the fake, and what the table shows of an answer. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { decrypt, deriveKey, encrypt } from "#shared/base/platform/encryption.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import { type Peppers, readPeppers } from "#shared/base/platform/pepper.ts";
import type { ReplayRecord, Replays } from "#shared/calls/access/replays.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { dropped, rotated } from "#shared/edges/operator/secret-versions.ts";
import { replayAnswerKey, replayKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { call } from "#test/support/call.ts";
import { pepper } from "#test/support/memory.ts";
import { createMemoryReplays } from "#test/support/memory-replays.ts";
import { chatBody, chatPath, completion, noise, useScenario } from "#test/support/scenario.ts";
import { counting, noon, repeating } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

let scopes = 0;
const newScope = () => `scope-${++scopes}`;
const running = (at = noon): ReplayRecord => ({
  request: newId("request", at),
  fingerprint: "f",
  state: "running",
});

const stores: [string, () => Replays][] = [
  ["DynamoDB", () => createReplays(db.aws, db.tables)],
  ["a DynamoDB whose answers get lost", () => createReplays(repeating(db.aws), db.tables)],
  ["memory", createMemoryReplays],
];

describe.each(stores)("keys in %s", (_, open) => {
  test("one of 20 takes a key; the others are shown who has it", async () => {
    const [store, scope] = [open(), newScope()];
    const records = Array.from({ length: 20 }, () => running());
    const holders = await Promise.all(records.map((record) => store.claim(scope, record, noon)));
    const winners = records.filter((_record, i) => holders[i] === undefined);
    expect(winners).toHaveLength(1);
    expect(holders.filter((holder) => holder?.request === winners[0]?.request)).toHaveLength(19);
  });

  test.each(["stored", "ended"] as const)("%s: the record says so to who comes next", async (state) => {
    const [store, scope, first] = [open(), newScope(), running()];
    await store.claim(scope, first, noon);
    await store.conclude(scope, { ...first, state });
    expect(await store.claim(scope, running(), noon)).toEqual({ ...first, state });
  });

  test("stored with its answer: who comes next is given both", async () => {
    const [store, scope, first] = [open(), newScope(), running()];
    const answer = Buffer.from(Array.from({ length: 256 }, (_each, i) => i));
    await store.claim(scope, first, noon);
    await store.conclude(scope, { ...first, state: "stored", answer });
    expect(await store.claim(scope, running(), noon)).toEqual({ ...first, state: "stored", answer });
  });

  test("released: the next takes it", async () => {
    const [store, scope, first] = [open(), newScope(), running()];
    await store.claim(scope, first, noon);
    await store.conclude(scope, { ...first, state: "released" });
    const second = running();
    expect(await store.claim(scope, second, noon)).toBeUndefined();
    expect(await store.claim(scope, running(), noon)).toEqual(second);
  });

  test("a day later it is free, whether or not the table has forgotten it", async () => {
    const [store, scope, first] = [open(), newScope(), running()];
    await store.claim(scope, first, noon);
    const day = limits.idempotencySeconds * 1000;
    expect(await store.claim(scope, running(), noon + day - 1000)).toEqual(first);
    expect(await store.claim(scope, running(), noon + day + 1000)).toBeUndefined();
  });

  test("a dead call is replaced once, and changes nothing afterwards", async () => {
    const [store, scope, dead] = [open(), newScope(), running()];
    await store.claim(scope, dead, noon);
    const [heir, other] = [running(), running()];
    const holders = await Promise.all(
      [heir, other].map((each) => store.claim(scope, each, noon, dead.request)),
    );
    expect(holders.filter((holder) => holder === undefined)).toHaveLength(1);
    const owner = holders[0] ? other : heir;
    await store.conclude(scope, { ...dead, state: "released" });
    expect(await store.claim(scope, running(), noon)).toEqual(owner);
  });

  test("an answer is kept byte for byte", async () => {
    const [store, request] = [open(), newId("request", noon)];
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_each, i) => i % 256));
    expect(await store.answer(request)).toBeUndefined();
    await store.keep(request, bytes);
    expect(await store.answer(request)).toEqual(bytes);
  });
});

describe("on DynamoDB", () => {
  test("the largest answer fits, and a repetition that is refused writes one unit all the same", async () => {
    const { aws, units } = counting(db.aws);
    const [store, scope, first] = [createReplays(aws, db.tables), newScope(), running()];
    await store.claim(scope, first, noon);
    await store.keep(first.request, Buffer.alloc(limits.replayBoxBytesMax, 7));
    await store.conclude(scope, { ...first, state: "stored" });
    const before = units.get("PutItem") ?? 0;
    await store.claim(
      scope,
      { ...first, request: newId("request", noon + 2 * 86_400_000) },
      noon + 90_000_000,
    );
    expect((units.get("PutItem") ?? 0) - before).toBe(1);
  });

  test("a record with the longest answer it may have is one unit, to write and to be refused by", async () => {
    const { aws, units } = counting(db.aws);
    const store = createReplays(aws, db.tables);
    const scope = createHash("sha256").update(newScope()).digest("hex");
    const first = { ...running(), fingerprint: scope };
    await store.claim(scope, first, noon);
    const answer = Buffer.alloc(limits.replayInRecordBytesMax, 7);
    await store.conclude(scope, { ...first, state: "stored", answer });
    expect(await store.claim(scope, { ...running(), fingerprint: scope }, noon)).toMatchObject({ answer });
    expect(units.get("PutItem")).toBe(2);
  });

  test("record and answer expire with their day", async () => {
    const [store, scope, first] = [createReplays(db.aws, db.tables), newScope(), running()];
    await store.claim(scope, first, noon);
    await store.conclude(scope, { ...first, state: "released" });
    await store.keep(first.request, Buffer.from("x"));
    const expires_at = { N: String(timeOf(first.request) / 1000 + limits.idempotencySeconds) };
    for (const Key of [replayKey(scope), replayAnswerKey(first.request)]) {
      const input = { TableName: db.tables.counters, Key };
      expect(await db.aws("dynamodb", "GetItem", input)).toMatchObject({ Item: { expires_at } });
    }
  });
});

describe("a kept answer", () => {
  const scenario = useScenario();

  test.each([
    ["in its key's record", ""],
    ["beside it", noise(30)],
  ])("shows the table neither prompt nor answer, key nor caller: %s", async (_, more) => {
    scenario.memory.deps.replays = createReplays(db.aws, db.tables);
    scenario.upstream.json({ ...completion, note: `the secret of the answer${more}` });
    const headers = { ...scenario.bearer(), "idempotency-key": "order-4711" };
    const body = { ...chatBody, messages: [{ role: "user", content: "the secret of the prompt" }] };
    const first = await scenario.chat({ headers, body });
    const again = await scenario.chat({ headers, body });
    expect([again.text, again.headers["x-gateway-replayed"]]).toEqual([first.text, first.id]);

    const { Items = [] } = await db.aws("dynamodb", "Scan", {
      TableName: db.tables.counters,
      ConsistentRead: true,
    });
    const bytes = Items.flatMap((item) =>
      Object.values(item).map(({ B = new Uint8Array() }) => Buffer.from(B).toString("latin1")),
    );
    const dump = JSON.stringify(Items) + bytes.join("");
    expect(dump).toContain(first.id);
    const { key } = scenario.memory.intents[0] ?? {};
    for (const secret of ["the secret of", "order-4711", scenario.key, key, "choices"]) {
      expect(dump).not.toContain(secret);
    }
  });

  test("cannot be read in another's place: the repetition is refused", async () => {
    scenario.upstream.json({ ...completion, note: noise(30) });
    const send = (idempotency: string, more: object = {}) =>
      scenario.chat({
        headers: { ...scenario.bearer(), "idempotency-key": idempotency },
        body: { ...chatBody, ...more },
      });
    const mine = await send("mine");
    const other = await send("other", { user: "x" });
    const { replays } = scenario.memory.deps;
    await replays.keep(mine.id, (await replays.answer(other.id)) ?? Buffer.alloc(0));
    expect((await send("mine")).text).toContain(`/api/v1/requests/${mine.id}`);
    expect(scenario.memory.logs.map(({ event }) => event)).toContain("replay_unreadable");
  });
});

describe("answers while the pepper is rotated", () => {
  const scenario = useScenario();
  const before = readPeppers(pepper);
  const between = rotated(before, { value: "the second" });
  const after = dropped(between);

  /** A process with this copy of the secret, which may read a newer one. */
  const sending = (peppers: Peppers, newer = peppers) => {
    const { secrets } = scenario.memory.deps;
    const read = async (stale?: Peppers) => (stale === undefined ? peppers : newer);
    const serve = createPipeline({} as LocalAnswers, {
      ...scenario.memory.deps,
      secrets: { ...secrets, peppers: read },
    });
    return (idempotency: string) =>
      call(serve, chatPath, {
        headers: { ...scenario.bearer(), "idempotency-key": idempotency },
        body: chatBody,
      });
  };
  const charged = () => scenario.memory.events.length;

  test.each([30, 1])(
    "are given to repetitions on both sides of it, and billed once: %i lines",
    async (lines) => {
      scenario.upstream.json({ ...completion, note: noise(lines) });
      for (const [first, then] of [
        [sending(before), sending(between)],
        [sending(between), sending(before, between)],
      ] as const) {
        const key = `key-${charged()}`;
        const answer = await first(key);
        const again = await then(key);
        expect([again.status, again.text]).toEqual([200, answer.text]);
        expect(again.headers["x-gateway-replayed"]).toBe(answer.id);
      }
      expect(charged()).toBe(2);
      expect(scenario.memory.logs.map(({ event }) => event)).not.toContain("replay_unreadable");
    },
  );

  test("are refused, and not billed again, by a process that cannot read the newer secret", async () => {
    scenario.upstream.json(completion);
    await sending(between)("order-1");
    const again = await sending(before)("order-1");
    expect([again.status, charged()]).toEqual([409, 1]);
    expect(scenario.memory.logs.map(({ event }) => event)).toContain("replay_unreadable");
  });

  test("are refused, and not billed again, once the version is dropped under which they are kept", async () => {
    scenario.upstream.json(completion);
    await sending(before)("order-1");
    await sending(between)("order-2");
    expect((await sending(after)("order-1")).status).toBe(409);
    expect((await sending(after)("order-2")).status).toBe(200);
    expect(charged()).toBe(2);
  });
});

describe("encryption", () => {
  const key = deriveKey("pepper", "one purpose");
  const plain = Buffer.from("plain");

  test("opens with the same key and context", () => {
    expect(decrypt(key, "context", encrypt(key, "context", plain))).toEqual(plain);
    expect(encrypt(key, "context", plain)).not.toEqual(encrypt(key, "context", plain));
  });

  test.each<[string, (box: Buffer) => Buffer]>([
    ["another context", (box) => decrypt(key, "other", box)],
    ["another purpose", (box) => decrypt(deriveKey("pepper", "other"), "context", box)],
    ["another secret", (box) => decrypt(deriveKey("salt", "one purpose"), "context", box)],
    [
      "a flipped bit",
      (box) => decrypt(key, "context", Buffer.from(box.map((byte, i) => (i === 30 ? byte ^ 1 : byte)))),
    ],
    ["a cut tag", (box) => decrypt(key, "context", box.subarray(0, 20))],
  ])("does not open with %s", (_, open) => {
    expect(() => open(encrypt(key, "context", plain))).toThrow();
  });
});
