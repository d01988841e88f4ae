/** The tags of a video, from its creation to its entry, and what they cost. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { keyDefaults } from "#shared/books/accounts/key-defaults.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { counting, eventOf, intentOf, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { createVideo, createVideoScenario, videoCaller, videoRequest } from "#test/support/video.ts";

const { db, ledger, meters, tasks } = useStores();
const { header } = keyDefaults.tags;

/** Orders a video with a header and with what a key says, and lets it end. */
async function made(tags: string | undefined, own?: string) {
  const scenario = createVideoScenario(tasks, meters);
  const caller = videoCaller({ wallet: await openWallet(db, "10") });
  const by: Principal = { ...caller, key: { ...caller.key, ...(own && { defaults: { tags: own } }) } };
  const request = videoRequest(scenario);
  const headers = tags === undefined ? {} : { [header]: tags };
  const reply = await createVideo(scenario.deps, { ...request, headers }, by);
  const { id } = JSON.parse(reply.body as string) as { id: string };
  const step = (action: "submit" | "poll") =>
    work({ action, task: id, organization: "org_1", polls: 0 }, scenario.deps);
  const intent = await meters.intent(id);
  await step("submit");
  for (const task of scenario.provider.tasks.keys()) scenario.provider.tasks.set(task, "succeed");
  expect(await step("poll")).toMatchObject({ done: true });
  return { intent, event: (await ledger.entry("org_1", id))?.event };
}

describe("a video", () => {
  test.each([
    ["team=search", undefined, "team=search"],
    [undefined, "team=search", "team=search"],
    ["team=own", "feature=rag,team=search", "feature=rag,team=own"],
    [undefined, undefined, undefined],
  ])("with the header %s and the key's %s keeps %s", async (given, own, must) => {
    const { intent, event } = await made(given, own);
    expect([intent?.tags, event?.tags, event?.outcome]).toEqual([must, must, "completed"]);
  });

  test("with a header that is wrong is refused, and holds nothing", async () => {
    const scenario = createVideoScenario(tasks, meters);
    const meter = await openWallet(db, "10");
    const request = { ...videoRequest(scenario), headers: { [header]: "team" } };
    const refused = createVideo(scenario.deps, request, videoCaller({ wallet: meter }));
    await expect(refused).rejects.toThrow(`${header} must be 1 to 8 pairs`);
    expect((await meters.readMeter(meter, 0))?.tasks.size).toBe(0);
    expect(await tasks.find("org_1", request.id)).toBeUndefined();
  });
});

/** The most that tags may take. */
const longest = Array.from({ length: limits.tagsMax }, (_, at) => {
  const name = `n${at}`.padEnd(limits.tagNameCharsMax, "n");
  return `${name}=${"v".repeat(limits.tagValueCharsMax)}`;
}).join(",");

test("the longest tags take one write unit more of an intent, and two of an entry", async () => {
  const unitsOf = async (tags: object) => {
    const { aws, units } = counting(db.aws);
    const hold = walletHold(await openWallet(db, "1"), "0.1");
    await createMeters(aws, db.tables).intend({ ...intentOf(hold), ...tags }, 1);
    const intent = units.get("PutItem");
    await createLedger(aws, db.tables).record([eventOf(hold, "0.1", tags)]);
    return { intent, entry: units.get("TransactWriteItems") };
  };
  expect(longest).toHaveLength(783);
  const [none, most] = [await unitsOf({}), await unitsOf({ tags: longest })];
  expect([none.intent, most.intent]).toEqual([1, 2]);
  expect((most.entry ?? 0) - (none.entry ?? 0)).toBe(2);
});
