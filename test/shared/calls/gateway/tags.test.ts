/** The tags of a call, from its header and its key to its intent and its event, on every route that is billed. */
import { describe, expect, test } from "vitest";
import { type KeyDefaults, keyDefaults } from "#shared/books/accounts/key-defaults.ts";
import { parseUsageEvent } from "#shared/books/ledger/usage-event.ts";
import { readKeyDefaults } from "#shared/edges/api/key-request.ts";
import { useFallbacks } from "#test/support/fallback.ts";
import { chatBody, chatPath, completion, messagesBody } from "#test/support/scenario.ts";

const world = useFallbacks();
const { header } = keyDefaults.tags;

/** Calls with a new key that has these defaults. */
async function chat(tags?: string, defaults?: KeyDefaults) {
  world.key = world.memory.addKey(defaults ? { defaults } : {});
  world.upstreams.one.json(completion);
  return await world.send(chatPath, {
    body: chatBody,
    headers: tags === undefined ? {} : { [header]: tags },
  });
}

const told = () => [world.memory.intents.at(-1)?.tags, world.memory.events.at(-1)?.tags];

describe("the tags of a call", () => {
  test.each([
    [
      "those of its header, in their one form",
      "team=search, feature=rag",
      undefined,
      "feature=rag,team=search",
    ],
    ["those of its key where it has no header", undefined, "team=search", "team=search"],
    [
      "both, of which its own win by name",
      "team=own,a=1",
      "team=search,feature=rag",
      "a=1,feature=rag,team=own",
    ],
  ])("are %s", async (_, given, own, must) => {
    expect((await chat(given, own === undefined ? undefined : { tags: own })).status).toBe(200);
    expect(told()).toEqual([must, must]);
    const [event] = world.memory.events;
    expect(parseUsageEvent(JSON.stringify(event))).toEqual(event);
  });

  test("that has none leave nothing in its records, and none goes to the provider", async () => {
    await chat();
    expect(world.memory.intents.at(-1)).not.toHaveProperty("tags");
    expect(world.memory.events.at(-1)).not.toHaveProperty("tags");
    await chat("team=search");
    const requests = world.upstreams.one.requests.map(({ headers, body }) => JSON.stringify(headers) + body);
    expect(requests.filter((text) => text.includes("team=search") || text.includes(header))).toEqual([]);
  });

  test("stay where a fallback answers, and where the call fails", async () => {
    world.fails("one");
    world.upstreams.two.json(completion);
    await world.chat("test/dear-1", { headers: { [header]: "team=search" } });
    expect(world.memory.events.at(-1)).toMatchObject({ model: "test/dear-1", tags: "team=search" });
    // Each model that is asked has an intent of its own.
    expect(world.memory.intents.map(({ tags }) => tags)).toEqual(["team=search", "team=search"]);
    world.fails("one");
    expect(
      (await world.send(chatPath, { body: chatBody, headers: { [header]: "team=search" } })).status,
    ).toBe(500);
    expect(world.memory.events.at(-1)).toMatchObject({ outcome: "failed", tags: "team=search" });
  });

  test.each([
    ["/v1/messages", { ...messagesBody, model: "test/claude-1" }],
    ["/v1/embeddings", { model: "test/embedding-1", input: "Hi" }],
    ["/v1/images/generations", { model: "test/image-1", prompt: "Hi" }],
    ["/v1/responses", { model: "test/model-1", input: "Hi" }],
    [
      `/api/v1beta/models/test%2Fmodel-1:generateContent`,
      { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    ],
  ])("are kept on %s, however the call ends", async (path, body) => {
    await world.send(path, { body, headers: { [header]: "team=search" } });
    expect(told()).toEqual(["team=search", "team=search"]);
  });
});

describe("a header that is wrong is 40000 before anything is held,", () => {
  test.each([
    [chatPath, chatBody],
    ["/v1/messages", { ...messagesBody, model: "test/claude-1" }],
    ["/v1/messages/count_tokens", { ...messagesBody, model: "test/claude-1" }],
    ["/v1/embeddings", { model: "test/embedding-1", input: "Hi" }],
    ["/v1/images/generations", { model: "test/image-1", prompt: "Hi" }],
    ["/api/v1beta/models/test%2Fmodel-1:generateContent", { contents: [{ parts: [{ text: "Hi" }] }] }],
  ])("in the form of %s", async (path, body) => {
    const reply = await world.send(path, { body, headers: { [header]: "Team=search" } });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("x-gateway-tags must be 1 to 8 pairs `name=value`");
    expect([world.memory.holds, world.memory.events, world.asked()]).toEqual([[], [], []]);
  });

  test("also where the key's tags and its own are more than eight", async () => {
    const five = (name: string) => Array.from({ length: 5 }, (_, at) => `${name}${at}=v`).join(",");
    const reply = await chat(five("a"), { tags: five("b") });
    expect(reply.json()).toMatchObject({ error: { code: "40000", param: header } });
    expect(reply.text).toContain("A call has at most 8 tags");
    expect([world.memory.holds, world.asked()]).toEqual([[], []]);
    expect((await chat(five("a"), { tags: five("a") })).status).toBe(200);
  });
});

test("a key's default is read by the rule of the header, into its one form", () => {
  expect(readKeyDefaults({ tags: " b=2, a=1 " })).toEqual({ tags: "a=1,b=2" });
  for (const wrong of ["", "a", "A=1", "user=1", 1, ["a=1"], { a: "1" }])
    expect(() => readKeyDefaults({ tags: wrong }), JSON.stringify(wrong)).toThrow("`defaults.tags` must be ");
  expect(readKeyDefaults({ tags: null })).toBeUndefined();
});

test.each([undefined, "", "b=1,a=1", 1, "Team=a"])(
  "an event with the tags %j is billed without them",
  (tags) => {
    return chat().then(() => {
      const [event] = world.memory.events;
      expect(parseUsageEvent(JSON.stringify({ ...event, tags }))).toEqual(event);
    });
  },
);
