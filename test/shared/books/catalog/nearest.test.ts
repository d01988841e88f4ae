/** A model that does not exist: the answer suggests the nearest names, of models that the key could call. */
import { describe, expect, test } from "vitest";
import type { Model } from "#shared/books/catalog/catalog.ts";
import { nearestModels } from "#shared/books/catalog/nearest.ts";
import { listPublicModels, retrieveModel, retrievePublicModel } from "#shared/edges/api/models.ts";
import { call } from "#test/support/call.ts";
import { useScenario } from "#test/support/scenario.ts";

const models = (...names: (string | string[])[]) =>
  names.map((each) => {
    const [id, ...aliases] = [each].flat();
    return { id, aliases } as unknown as Model;
  });
const known = models(
  "openai/gpt-5",
  "openai/gpt-5-mini",
  "openai/gpt-5-nano",
  "openai/gpt-5-pro",
  "anthropic/claude-haiku-4-5",
  ["anthropic/claude-opus-4-7", "claude-opus"],
  "google/gemini-3-pro",
);

describe("the nearest names", () => {
  test.each([
    ["openai/gpt-5-mni", ["openai/gpt-5-mini"]],
    ["gpt-5-min", ["openai/gpt-5-mini"]],
    ["azure/gpt-5-mini", ["openai/gpt-5-mini"]],
    ["GPT_5.Mini", ["openai/gpt-5-mini"]],
    ["gpt-5", ["openai/gpt-5", "openai/gpt-5-pro", "openai/gpt-5-mini"]],
    ["claude-haiku-4-5-20251001", ["anthropic/claude-haiku-4-5"]],
    ["claude-opus-4-8", ["anthropic/claude-opus-4-7"]],
    ["claude-opis", ["anthropic/claude-opus-4-7"]],
    // A family, where no name is near.
    ["gemini-3.1-flash-preview", ["google/gemini-3-pro"]],
    ["claude-sonnet-4-6", ["anthropic/claude-haiku-4-5", "anthropic/claude-opus-4-7"]],
    ["claude-", ["anthropic/claude-opus-4-7", "anthropic/claude-haiku-4-5"]],
    ["gp-5-and-more-of-it", []],
    ["llama-9", []],
    ["", []],
    ["/", []],
    ["g", []],
    ["x".repeat(101), []],
  ])("of %j", (name, ids) => {
    expect(nearestModels(name, known).slice(0, Math.max(1, ids.length))).toEqual(ids);
    expect(nearestModels(name, known).length).toBeLessThanOrEqual(3);
  });

  test("are found at once among thousands, whatever is asked for", () => {
    const many = models(
      ...Array.from({ length: 5_000 }, (_, at) => [
        `vendor-${at % 50}/some-model-of-a-long-name-${at}`,
        `alias-${at}`,
      ]),
    );
    nearestModels("warm", many);
    for (const name of [
      "some-model-of-a-long-name-77",
      "a".repeat(100),
      `vendor-1/${"some-model-of-a-long-".repeat(4)}`,
    ]) {
      const before = process.cpuUsage();
      nearestModels(name, many);
      expect(process.cpuUsage(before).user, name).toBeLessThan(150_000);
    }
  });
});

describe("through the gateway", () => {
  const scenario = useScenario();
  const messages = [{ role: "user", content: "Hello" }];
  const meant = "The model `test/model-2` does not exist. Did you mean `test/model-1`?";

  test.each([
    ["/v1/chat/completions", { model: "test/model-2", messages }],
    ["/api/v1/chat/completions", { model: "test/model-2", messages }],
    ["/api/v3/chat/completions", { model: "test/model-2", messages }],
    ["/v1/messages", { model: "test/model-2", messages, max_tokens: 10 }],
    ["/api/v1/messages", { model: "test/model-2", messages, max_tokens: 10 }],
    ["/v1/responses", { model: "test/model-2", input: "Hello" }],
    ["/api/v1beta/models/test/model-2:generateContent", { contents: [] }],
  ])("%s", async (path, body) => {
    const reply = await call(scenario.serve, path, { headers: scenario.bearer(), body });
    expect(reply.status).toBe(404);
    expect((reply.json().error as { message: string }).message).toBe(meant);
  });

  test("only models that can be called on the route", async () => {
    const body = { model: "test/embedding-2", input: "Hello" };
    const reply = await call(scenario.serve, "/v1/embeddings", { headers: scenario.bearer(), body });
    expect(reply.text).toContain("Did you mean `test/embedding-1`?");
    const chat = { model: "test/embedding-2", messages };
    const other = await call(scenario.serve, "/v1/chat/completions", {
      headers: scenario.bearer(),
      body: chat,
    });
    expect(other.text).not.toContain("Did you mean");
  });

  test("no model that the key's plan lacks, or that it has no permission for", async () => {
    const { catalog } = scenario.memory.deps;
    const model = catalog.find("test/model-1") as Model;
    const ask = async (headers: Record<string, string>) =>
      (
        await call(scenario.serve, "/v1/chat/completions", {
          headers,
          body: { model: "test/model-2", messages },
        })
      ).text;
    Object.assign(model, { permission: "AVG_V2" });
    expect(await ask(scenario.bearer())).not.toContain("model-1");
    const permissions: "AVG_V2"[] = ["AVG_V2"];
    const granted = scenario.memory.addKey({ permissions }, { permissions });
    expect(await ask({ "x-api-key": granted })).toContain("`test/model-1`");
    Object.assign(model, { permission: null });
    Object.assign(catalog.plan("free") ?? {}, { models: ["other/*"] });
    const subscription = {
      plan: "free",
      period: "monthly",
      started_at: Date.now() - 1,
      meter: "mtr_1",
      ends_at: null,
    };
    const planned = scenario.memory.addKey({ mode: "subscription" }, { subscription: subscription as never });
    expect(await ask({ "x-api-key": planned })).not.toContain("model-1");
  });

  test("where a model is looked up", () => {
    const { catalog } = scenario.memory.deps;
    const caller = { key: { mode: "payg", permissions: [] }, organization: { permissions: [] } } as never;
    const asker = { catalog, caller };
    const at = Date.now();
    for (const style of ["openai", "anthropic", "gemini"] as const) {
      expect(() => retrieveModel(asker, { style, at }, "test/model-2")).toThrow(meant);
      expect(() => retrievePublicModel(catalog, { style, at }, "test/model-2")).toThrow(meant);
      expect(listPublicModels(catalog, { style, at, query: new URLSearchParams() }).status).toBe(200);
    }
  });
});
