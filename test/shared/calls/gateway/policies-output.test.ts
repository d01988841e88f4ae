/** The most output tokens that policies allow. More is refused, and a call that names none gets the bound. */
import { describe, expect, test } from "vitest";
import {
  converseBody,
  conversePath,
  geminiBody as gemini,
  geminiPath,
  usePolicies,
} from "#test/support/policies.ts";
import { chatBody, chatPath, messagesBody } from "#test/support/scenario.ts";

const { world, bound, ask, done, sent } = usePolicies();

describe("max_output_tokens", () => {
  const chat = (fields: object) => [chatPath, { ...chatBody, ...fields }] as const;
  const responses = (fields: object) =>
    ["/v1/responses", { model: "test/model-1", input: "Hi", ...fields }] as const;
  const google = (generationConfig: object, name = "generationConfig") =>
    [geminiPath("generateContent"), { ...gemini, [name]: generationConfig }] as const;
  const claude = (fields: object) =>
    ["/v1/messages", { ...messagesBody, model: "test/claude-1", ...fields }] as const;
  const converse = (inferenceConfig: object) => [conversePath, { ...converseBody, inferenceConfig }] as const;

  test.each([
    ["max_tokens", chat({ max_tokens: 101 })],
    ["max_completion_tokens", chat({ max_completion_tokens: 101 })],
    ["max_tokens", chat({ max_tokens: 101, max_completion_tokens: 5 })],
    ["max_output_tokens", responses({ max_output_tokens: 101 })],
    ["generationConfig.maxOutputTokens", google({ maxOutputTokens: 101 })],
    ["generationConfig.maxOutputTokens", google({ max_output_tokens: 101 }, "generation_config")],
    ["max_tokens", claude({ max_tokens: 101 })],
    ["inferenceConfig.maxTokens", converse({ maxTokens: 101 })],
  ])("refuses a higher %s: %j", async (name, [path, body]) => {
    bound({ organization: { max_output_tokens: 200 }, project: { max_output_tokens: 100 } });
    const reply = await ask(body, path);
    expect(reply.status).toBe(403);
    expect(reply.text).toMatch(/The project's policy allows answers of at most 100 tokens, and/);
    expect(reply.text).toContain(name);
    expect(done()).toEqual([[], [], []]);
  });

  test.each([
    ["openai", chatPath, chatBody, { max_tokens: 100 }],
    ["openai, null", ...chat({ max_tokens: null }), { max_tokens: 100 }],
    ["responses, translated", ...responses({}), { max_completion_tokens: 100 }],
    ["gemini, translated", ...google({ temperature: 1 }), { max_completion_tokens: 100 }],
    ["gemini's other spelling", ...google({ top_k: 1 }, "generation_config"), { max_completion_tokens: 100 }],
    ["converse, translated", ...converse({ temperature: 1 }), { max_tokens: 100 }, "three"],
    ["converse without the object", conversePath, converseBody, { max_tokens: 100 }, "three"],
    ["gemini without the object", geminiPath("generateContent"), gemini, { max_completion_tokens: 100 }],
  ] as const)("is given to a call that names none: %s", async (_, path, body, must, other?: "three") => {
    bound({ key: { max_output_tokens: 100 } });
    const reply = await ask(body, path);
    expect([reply.status, reply.headers["x-gateway-max-tokens"]]).toEqual([200, "100"]);
    expect(sent(other ?? "one")).toMatchObject(must);
    // 100 tokens of output cost 0.001 points, and the model's 8,192 would be held with 0.08.
    expect(world.memory.holds[0]?.points).toBeLessThan(5n * 10n ** 15n);
  });

  test("leaves a call alone that names less, and a model that can answer no more", async () => {
    bound({ key: { max_output_tokens: 8_192 } });
    const plain = await ask();
    expect([plain.headers["x-gateway-max-tokens"], sent()]).toEqual([
      undefined,
      expect.not.objectContaining({ max_tokens: 1 }),
    ]);
    expect(Object.keys(sent()).sort()).toEqual(["messages", "model"]);
    await ask({ ...chatBody, max_tokens: 7 });
    expect(sent().max_tokens).toBe(7);
  });

  test("is given to a fallback that could answer with more than the call's own model", async () => {
    bound({ key: { max_output_tokens: 5_000 } });
    world.fails("two");
    const reply = await ask({ ...chatBody, model: "test/dear-1" }, chatPath, {
      "x-gateway-fallback": "test/model-1",
    });
    expect(reply.status).toBe(200);
    expect(sent("two")).not.toHaveProperty("max_tokens");
    expect(sent("one").max_tokens).toBe(5_000);
  });
});
