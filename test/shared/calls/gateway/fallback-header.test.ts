/** A header of fallbacks that is wrong. */
import { describe, expect, test } from "vitest";
import { fallback, subscription, useFallbacks } from "#test/support/fallback.ts";
import { chatBody, messagesBody } from "#test/support/scenario.ts";

const world = useFallbacks();

describe("a header that is wrong is 400 before anything is held:", () => {
  test.each([
    ["", "takes 1 to 4 models"],
    ["test/dear-1,,test/claude-1", "takes 1 to 4 models"],
    ["a,b,c,d,e", "takes 1 to 4 models"],
    ["test/nobody", "`test/nobody` does not exist"],
    ["test/dear-2", "Did you mean `test/dear-1`?"],
    ["test/model-one", "`test/model-1` stands twice"],
    ["test/dear-1, test/dear-1", "`test/dear-1` stands twice"],
    ["test/embedding-1", "`test/embedding-1` does not support chat"],
  ])("%j", async (value, said) => {
    const reply = await world.chat(value);
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ error: { param: "x-gateway-fallback", code: "40000" } });
    expect(reply.text).toContain(said);
    expect([world.memory.holds, world.memory.events, world.asked()]).toEqual([[], [], []]);
  });

  test("a model that the key's plan does not have", async () => {
    world.sell((catalog) => ({
      ...catalog,
      plans: { free: { ...catalog.plans.free, models: ["test/model-1"] } },
    }));
    world.key = world.memory.addKey({ mode: "subscription" }, { subscription: subscription() });
    const reply = await world.chat("test/dear-1");
    expect([reply.status, world.memory.holds]).toEqual([400, []]);
    expect(reply.text).toContain("The plan `free` does not have the model `test/dear-1`");
  });

  test("a setting that the fallback has no price for", async () => {
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    const body = { ...messagesBody, model: "test/claude-1", tools };
    const priceless = world.memory.deps.catalog.find("test/dear-1");
    expect(priceless?.price.rates).toBeUndefined();
    Object.assign(priceless ?? {}, { channels: world.memory.deps.catalog.find("test/claude-1")?.channels });
    const reply = await world.send("/v1/messages", { body, headers: fallback("test/dear-1") });
    expect([reply.status, world.memory.holds]).toEqual([400, []]);
    expect(reply.text).toContain("The model `test/dear-1` has no price for");
  });

  test("providers of whom none has the fallback", async () => {
    world.key = world.memory.addKey({ mode: "subscription" }, { subscription: subscription() });
    Object.assign(world.memory.deps.catalog.plan("free") ?? {}, { routing: "smart" });
    const reply = await world.chat("test/dear-1", { headers: { "x-gateway-route": "only=one" } });
    expect([reply.status, world.memory.holds]).toEqual([400, []]);
    expect(reply.text).toContain("leaves no provider");
    expect((await world.chat("test/dear-1", { headers: { "x-gateway-route": "only=one,two" } })).status).toBe(
      200,
    );
  });

  test.each([
    ["/v1/embeddings", { model: "test/embedding-1", input: "Hi" }],
    ["/v1/images/generations", { model: "test/image-1", prompt: "Hi" }],
  ])("any on %s", async (path, body) => {
    const reply = await world.send(path, { body, headers: fallback("test/dear-1") });
    expect([reply.status, world.memory.holds]).toEqual([400, []]);
    expect(reply.text).toContain("x-gateway-fallback takes effect on chats alone");
  });

  test("but not on a count of tokens, which is of the model that the request names", async () => {
    const body = { model: "test/claude-1", messages: chatBody.messages };
    world.upstreams.three.json({ input_tokens: 3 });
    const reply = await world.send("/v1/messages/count_tokens", { body, headers: fallback("test/model-1") });
    expect([reply.status, reply.json()]).toEqual([200, { input_tokens: 3 }]);
  });
});
