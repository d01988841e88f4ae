/** What policies of four levels refuse a call, before anything is held, and what they give it. */
import { describe, expect, test } from "vitest";
import { hashApiKey } from "#shared/base/platform/api-key.ts";
import type { Policy } from "#shared/books/accounts/policy.ts";
import { listModels, retrieveModel } from "#shared/edges/api/models.ts";
import { pepper } from "#test/support/memory.ts";
import {
  converseBody,
  conversePath,
  geminiBody as gemini,
  geminiPath,
  policyHolders as levels,
  type PolicyHolder,
  usePolicies,
} from "#test/support/policies.ts";
import { chatBody, chatPath, completion, messagesBody } from "#test/support/scenario.ts";

const { world, bound, ask, done, sent } = usePolicies();

const whose: Record<PolicyHolder, string> = {
  organization: "The organization's",
  project: "The project's",
  member: "The member's",
  key: "The key's",
};
const changer = (level: PolicyHolder) =>
  `${level === "key" ? "Who manages keys" : "An owner or admin of the organization"} can change it.`;
const none = () => expect(done()).toEqual([[], [], []]);

const image = { model: "test/image-1", prompt: "Hi" };
const vector = { model: "test/embedding-1", input: "Hi" };

describe.each(levels)("of the %s", (level) => {
  test.each<[string, Policy, object]>([
    ["models", { models: ["other/*"] }, chatBody],
    ["providers", { providers: ["other"] }, chatBody],
    ["max_output_tokens", { max_output_tokens: 99 }, { ...chatBody, max_completion_tokens: 100 }],
    ["switches", { switches: [] }, { ...chatBody, web_search_options: {} }],
    ["addresses", { addresses: ["203.0.113.0/24"] }, chatBody],
  ])("%s refuses with its level, its rule and who can change it", async (rule, policy, body) => {
    bound({ [level]: policy });
    const reply = await ask(body);
    expect(reply.status).toBe(403);
    const { error } = reply.json() as { error: { code: string; message: string } };
    expect(error.code).toBe("40300");
    expect(error.message).toMatch(new RegExp(`^${whose[level]} policy `));
    expect(error.message).toContain(`(\`${rule}\`). ${changer(level)}`);
    none();
  });

  test("what they all allow is called", async () => {
    bound({
      [level]: {
        ...{ models: ["test/*"], providers: ["one"], addresses: ["203.0.113.0/24"] },
        ...{ max_output_tokens: 100, switches: ["tool:web_search"] },
      },
    });
    const body = { ...chatBody, max_tokens: 100 };
    expect((await world.send(chatPath, { body, ip: "203.0.113.9" })).status).toBe(200);
    expect(sent().max_tokens).toBe(100);
  });
});

test("a policy of another project or member bounds nothing, and each level's rule must be met", async () => {
  bound(
    { project: { models: ["none"] }, member: { models: ["none"] } },
    { project: "other", created_by: "user_x" },
  );
  expect((await ask()).status).toBe(200);
  bound({ organization: { models: ["test/model-*"] }, key: { models: ["test/*"] } });
  expect((await ask()).status).toBe(200);
  const dear = await ask({ ...chatBody, model: "test/dear-1" });
  expect([dear.status, dear.text.includes("The organization's policy")]).toEqual([403, true]);
});

describe("every route", () => {
  test.each([
    ["/v1/messages", { ...messagesBody, model: "test/claude-1" }],
    ["/v1/messages/count_tokens", { ...messagesBody, model: "test/claude-1" }],
    ["/v1/responses", { model: "test/model-1", input: "Hi" }],
    ["/v1/embeddings", vector],
    ["/v1/images/generations", image],
    [geminiPath("generateContent"), gemini],
    [geminiPath("countTokens"), gemini],
    [conversePath, converseBody],
  ])("asks for model, provider and address: %s", async (path, body) => {
    for (const policy of [{ models: ["other"] }, { providers: ["other"] }, { addresses: ["10.0.0.0/8"] }]) {
      bound({ member: policy });
      const reply = await ask(body, path);
      expect([reply.status, reply.text.includes("The member's policy")], JSON.stringify(policy)).toEqual([
        403,
        true,
      ]);
      none();
    }
  });

  test("that asks no model goes by the address too, and lists show what is allowed", async () => {
    const policies = [{ level: "project" as const, id: "search", policy: { providers: ["two", "test"] } }];
    const policy: Policy = { models: ["test/d*", "test/m*", "test/image-1"], aliases: ["mine=test/dear-1"] };
    const secret = world.memory.addKey({ project: "search", policy }, { policies });
    const { accounts, catalog } = world.memory.deps;
    const caller = await accounts.findPrincipal(hashApiKey(pepper, secret));
    if (!caller) throw new Error("no key");
    const viewer = { catalog, caller };
    const query = { query: new URLSearchParams(), style: "openai" as const, at: Date.now() };
    const listed = JSON.parse(listModels(viewer, query).body as string) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual(["test/dear-1", "test/image-1"]);
    expect(JSON.parse(retrieveModel(viewer, query, "mine").body as string)).toMatchObject({
      id: "test/dear-1",
    });
    expect(() => retrieveModel(viewer, query, "test/claude-1")).toThrow("The key's policy does not allow");
    expect(() => retrieveModel(viewer, query, "test/model-1")).toThrow(
      "The project's policy allows no provider",
    );
    bound({ key: { addresses: ["10.0.0.0/8"] } });
    expect((await world.send("/v1/models", { method: "GET" })).status).toBe(403);
  });
});

test("a tool that the provider runs for nothing is refused as a paid one is, and needs no rate", async () => {
  const body = { ...chatBody, tools: [{ type: "mcp", server_label: "a" }] };
  bound({});
  expect((await ask(body)).status).toBe(200);
  bound({ organization: { switches: ["tool:mcp"] } });
  expect((await ask(body)).status).toBe(200);
  expect(sent().tools).toEqual(body.tools);
  const [before] = done();
  bound({ organization: { switches: ["tool:web_search"] } });
  const refused = await ask(body);
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("`tool:mcp`")]);
  expect(done()[0]).toEqual(before);
});

describe("addresses", () => {
  test.each([
    ["203.0.113.9", 200],
    ["::ffff:203.0.113.9", 200],
    ["2001:db8::9", 200],
    ["203.0.114.9", 403],
    ["2001:db9::9", 403],
    ["not an address", 403],
    [undefined, 403],
  ])("let %s have %i", async (ip, status) => {
    bound({ organization: { addresses: ["203.0.113.0/24", "2001:db8::/32"] } });
    const headers = { "x-forwarded-for": "203.0.113.9" };
    expect((await world.send(chatPath, { body: chatBody, headers, ip })).status).toBe(status);
  });
});

describe("aliases", () => {
  const aliases = (...own: string[]): Policy => ({ aliases: own });

  test("the nearest level's first that fits counts, by any spelling, and its target is no alias again", async () => {
    bound({
      organization: aliases("claude-*=test/claude-1"),
      key: aliases("claude-haiku-*=test/dear-1", "claude-haiku-4*=test/model-1", "test/dear-1=test/model-1"),
    });
    const reply = await ask({ ...chatBody, model: "Claude_Haiku-4.5" });
    expect([reply.status, world.asked(), world.memory.events[0]?.model]).toEqual([
      200,
      ["two"],
      "test/dear-1",
    ]);
    await ask({ ...chatBody, model: "claude-opus-4" });
    expect(world.memory.events[1]?.model).toBe("test/claude-1");
  });

  test.each([
    ["/v1/messages", { ...messagesBody, model: "claude-haiku-4-5" }],
    ["/v1/messages/count_tokens", { ...messagesBody, model: "claude-haiku-4-5" }],
    [`/api/v1beta/models/claude-haiku-4-5:generateContent`, gemini],
    ["/model/claude-haiku-4-5/converse", converseBody],
  ])("stand for models on %s", async (path, body) => {
    bound({ member: aliases("claude-haiku-*=test/model-1") });
    expect((await ask(body, path)).status).toBe(200);
  });

  test("pass no rule by, and a target that is gone is named", async () => {
    bound({ organization: { models: ["test/model-1"] }, key: aliases("mine=test/dear-1", "old=test/gone") });
    expect((await ask({ ...chatBody, model: "mine" })).text).toContain(
      "The organization's policy does not allow",
    );
    const gone = await ask({ ...chatBody, model: "old" });
    expect([gone.status, gone.json()]).toMatchObject([404, { error: { code: "40400" } }]);
    expect(gone.text).toContain(
      "The key's policy leads `old` to the model `test/gone`, which does not exist",
    );
    none();
  });
});

describe("fallbacks", () => {
  const usual = (...fallbacks: string[]): Policy => ({ fallbacks });

  test("are asked as if the call had named them, those of the nearest level", async () => {
    bound({ organization: usual("test/claude-1"), key: usual("test/dear-1") });
    world.fails("one");
    const reply = await ask();
    expect([reply.status, reply.headers["x-gateway-model"], world.asked()]).toEqual([
      ...[200, "test/dear-1"],
      ["one", "two"],
    ]);
  });

  test("give way to a header, which may say none, and to an empty list", async () => {
    world.fails("one");
    bound({ key: usual("test/dear-1") });
    expect(
      (await ask(chatBody, chatPath, { "x-gateway-fallback": "test/claude-1" })).headers["x-gateway-model"],
    ).toBe("test/claude-1");
    expect((await ask(chatBody, chatPath, { "x-gateway-fallback": "none" })).status).toBe(500);
    bound({ organization: usual("test/dear-1"), key: usual() });
    expect((await ask()).status).toBe(500);
    expect(world.asked()).toEqual(["one", "three"]);
  });

  test("leave out what cannot take the call, and what other calls are", async () => {
    world.fails("one");
    bound({
      organization: { models: ["test/*-1"], providers: ["one", "two", "test"] },
      key: usual("test/gone", "test/model-one", "test/embedding-1", "test/claude-1", "test/dear-1"),
    });
    expect((await ask()).headers["x-gateway-model"]).toBe("test/dear-1");
    expect(world.asked()).toEqual(["one", "two"]);
    world.upstreams.one.json({ data: [{ embedding: [1], index: 0 }], usage: completion.usage });
    expect((await ask(vector, "/v1/embeddings")).status).toBe(200);
  });

  test("that a header names must be allowed", async () => {
    bound({ key: { models: ["test/model-1"] } });
    const reply = await ask(chatBody, chatPath, { "x-gateway-fallback": "test/dear-1" });
    expect([
      reply.status,
      reply.text.includes("The key's policy does not allow the model `test/dear-1`"),
    ]).toEqual([...[400, true]]);
    none();
  });
});

test("a switch is allowed by its pattern alone", async () => {
  const search = { ...chatBody, web_search_options: {} };
  bound({ key: { switches: ["service_tier:*"] } });
  expect((await ask(search)).text).toContain(
    "does not allow `tool:web_search`, which `web_search_options` asks for",
  );
  bound({ key: { switches: ["tool:web_*"] } });
  expect((await ask(search)).status).toBe(200);
});
