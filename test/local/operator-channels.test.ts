/** Operators see channels of a running gateway, take one out and bring it back, and its calls go by that. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { channelId } from "#shared/books/catalog/channel-id.ts";
import { takenOutKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { changeItem, getItem } from "#shared/edges/store/dynamodb/items.ts";
import { balanceOf, type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { completion, customer, expectCleanAudit, post, providerKey } from "#test/support/money.ts";
import { backup, operatedCatalog } from "#test/support/operated.ts";
import { runHere } from "#test/support/streams.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { videoModel } from "#test/support/video-run.ts";

const model = "test/model-1";
const [first, second] = [
  channelId("test", "upstream-model", "TEST_API_KEY"),
  channelId(backup, "backup-model", "TEST_API_KEY"),
];

let upstream: Upstream;
let gateway: LocalGateway;
let key: string;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: operatedCatalog(upstream.url), env: providerKey });
  key = (await customer(gateway, { points: 10n * 10n ** 18n })).key;
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const run = async (...words: string[]) => await operator(gateway, "channel", ...words);
const leave = async (id: string, ...flags: string[]) =>
  await run("leave", id, "--why", "wrong answers", ...flags);
// A test that is played once more begins with all channels too.
beforeEach(async () => {
  upstream.json(completion);
  for (const id of [first, second]) await run("return", id);
  await expect.poll(via).toBe("test");
});

/** Which provider a call goes to; its error's code where it has none. */
async function via(): Promise<string> {
  const reply = await post(gateway.url, key);
  const body = (await reply.json()) as { error?: { code: string } };
  return reply.headers.get("x-gateway-provider") ?? body.error?.code ?? String(reply.status);
}
/** Calls come in, five at a time, until all of five go there. */
async function expectAllTo(provider: string): Promise<void> {
  const five = async () => await Promise.all(Array.from({ length: 5 }, via));
  await expect.poll(five, { timeout: 10_000 }).toEqual(Array(5).fill(provider));
}
const lines = async (...flags: string[]) =>
  (await run("list", ...flags)).value as unknown as { id: string; state: string; until: string | null }[];

test("a channel is left and returns: calls go to the other one, and come back", async () => {
  expect(await lines("--model", "test/model*")).toMatchObject([
    {
      id: first,
      provider: "test",
      name: "upstream-model",
      keys: ["TEST_API_KEY"],
      has_keys: true,
      state: "good",
    },
    { id: second, provider: backup, priority: 2, state: "good", taken_out: null },
  ]);
  const { code, value } = await leave(first);
  expect([code, value]).toMatchObject([
    0,
    {
      id: first,
      what: "left",
      by: "operator",
      why: "wrong answers",
      until: null,
      models: [{ model, left_with: [`${second} ${backup}`] }],
    },
  ]);
  await expectAllTo(backup);
  expect(await lines("--out")).toMatchObject([
    { id: first, model, state: "taken_out", taken_out: { by: "operator", why: "wrong answers" } },
  ]);
  const routes = await fetch(`${gateway.url}/api/v1/models/${model}/routes`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(await routes.json()).toMatchObject({ data: [{ provider: backup }] });
  expect((await run("return", first)).value).toMatchObject({
    id: first,
    what: "returned",
    models: [{ model }],
  });
  await expectAllTo("test");
  const { acts } = (await run("show", first)).value as { acts: { what: string }[] };
  expect(acts.slice(-2).map(({ what }) => what)).toEqual(["left", "returned"]);
});

test("the last channel is left with --force alone: calls get 50002, and are charged nothing", async () => {
  await leave(first);
  const refused = await leave(second);
  expect([refused.code, refused.error]).toEqual([
    2,
    `${second} is the last channel of ${model}: calls would get the error 50002. --force takes it out all the same\n`,
  ]);
  await expectAllTo(backup);
  expect((await leave(second, "--force")).code).toBe(0);
  await expect.poll(via, { timeout: 10_000 }).toBe("50002");
  await expect.poll(async () => (await operator(gateway, "holds")).value).toEqual([]);
  const [before, asked] = [await balanceOf(gateway, key), upstream.requests.length];
  expect(await via()).toBe("50002");
  await expect.poll(async () => (await operator(gateway, "holds")).value).toEqual([]);
  expect([await balanceOf(gateway, key), upstream.requests.length]).toEqual([before, asked]);
  await expectCleanAudit(gateway);
});

test("it returns by itself after --for, and a question says beforehand what it means", async () => {
  const words = [
    "channel",
    "leave",
    first,
    "--why",
    "wrong answers",
    "--local",
    "--ready-file",
    gateway.readyFile,
  ];
  const asked = await runHere(words, { stdin: true, stderr: true }, "n\n");
  expect([asked.code, asked.error]).toEqual([2, expect.stringContaining("nothing was done")]);
  expect(asked.error).toMatch(
    /test\/model-1: the channel had \d+ of \d+( \(\d+ %\))? answers of the last 20 minutes/,
  );
  expect(asked.error).toContain(`From now on such calls go to ${second} ${backup}.`);
  const dry = await leave(first, "--dry-run");
  expect(dry.value).toMatchObject([{ model, left_with: [`${second} ${backup}`] }]);
  expect(await lines("--out")).toEqual([]);
  const { value } = await leave(first, "--for", "30m");
  const span = Date.parse(String(value.until)) - Date.parse(String(value.at));
  expect(span).toBe(30 * 60_000);
  expect((await lines("--out"))[0]?.until).toBe(value.until);
});

test("what a board has lost is out by the record, and the next pass of the sweep shows it there again", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "channels-"));
  const catalog = operatedCatalog(upstream.url);
  const start = async () => await startLocal({ catalog, env: providerKey, dataDir });
  const place = { table: "", key: takenOutKey(model, first) };
  let kept = await start();
  try {
    const { aws, tables } = connectLocally(kept.readyFile);
    expect((await operator(kept, "channel", "leave", first, "--why", "wrong answers")).code).toBe(0);
    expect(await changeItem(aws, { ...place, table: tables.board, remove: ["o", "r"] })).toBe(true);
    expect((await operator(kept, "channel", "list", "--out")).value).toMatchObject([{ id: first }]);
    await kept.stop();
    // A start makes a pass.
    kept = await start();
    const after = connectLocally(kept.readyFile);
    expect(await getItem(after.aws, after.tables.board, place.key)).toMatchObject({ o: { N: "1" } });
  } finally {
    await kept.stop();
    rmSync(dataDir, { recursive: true });
  }
});

test.each<[string, string[], string]>([
  ["an unknown channel", ["show", "zzzzzz"], "the catalog has no channel zzzzzz"],
  ["an unknown channel to leave", ["leave", "zzzzzz", "--why", "x"], "the catalog has no channel zzzzzz"],
  ["one that is in", ["return", first], "is not taken out"],
  ["no reason", ["leave", first], "--why is needed"],
  ["a reason on two lines", ["leave", first, "--why", "a\nb"], "--why takes 1 to 200 characters on one line"],
  ["a time that is none", ["leave", first, "--why", "x", "--for", "soon"], "--for takes a time such as 30m"],
])("%s is refused, and nothing changes", async (_, words, said) => {
  const { code, error } = await run(...words);
  expect([code, error]).toEqual([2, expect.stringContaining(said)]);
  expect(await lines("--out")).toEqual([]);
});

test("a model with one channel reads no board, so that its channel cannot be left; a video's can", async () => {
  const id = channelId("test", "upstream-embedding", "TEST_API_KEY");
  const refused = await leave(id, "--force");
  expect([refused.code, refused.error]).toEqual([2, expect.stringContaining("secret remove TEST_API_KEY")]);
  const [video] = (await lines("--model", videoModel)).filter(({ state }) => state === "good");
  expect((await leave(video?.id ?? "", "--force", "--dry-run")).code).toBe(0);
});
