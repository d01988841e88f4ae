/** What becomes of rows that a catalog has no model of: which must not be sold, and what the others are called and take. */
import { describe, expect, test } from "vitest";
import { withOneName } from "#shared/books/prices/facts.ts";
import { readPriceList } from "#shared/books/prices/import.ts";
import { adding, day, hosted, listOf, pointsPerUsd } from "#test/support/price-adding.ts";

const path = "fireworks_ai/accounts/fireworks/models/";

describe("a row that must not be sold at its price", () => {
  test.each([
    [{ deprecation_date: day }, `its provider no longer serves it since ${day}`],
    [
      { input_cost_per_token: 0, output_cost_per_token: 0 },
      "price: the list has it for free, or does not know",
    ],
    [{ output_cost_per_reasoning_token: 3e-6 }, "price: the list prices reasoning apart from other output"],
    [{ input_cost_per_request: 0.005 }, "price: the list has a price for each request"],
  ])("is refused: %j", (row, why) => {
    const { added } = adding(hosted(), listOf({ "zai/glm-6": row }));
    expect(added.entries).toEqual([]);
    expect(added.refused[0]?.why).toContain(why);
  });

  test("is not one whose price is that of a search which only some models make", () => {
    const row = { search_context_cost_per_query: { low: 1, high: 2 } };
    const { added } = adding(hosted(), listOf({ "zai/glm-6": row, "zai/sonar-6": row }));
    expect(added.entries.map(({ id }) => id)).toEqual(["zhipu/glm-6"]);
    expect(added.refused[0]?.why).toContain("it searches unasked");
  });
});

test("embeddings have no price of output, and pictures one for each", () => {
  const { added } = adding(
    hosted(),
    listOf({
      "zai/embedding-4": {
        mode: "embedding",
        output_cost_per_token: undefined,
        max_output_tokens: undefined,
      },
      "zai/cogview-5": {
        ...{ mode: "image_generation", output_cost_per_image: 0.02 },
        ...{ input_cost_per_token: undefined, output_cost_per_token: undefined },
      },
      "zai/1024-x-1024/cogview-5": {
        ...{ mode: "image_generation", output_cost_per_image: 0.04 },
        ...{ input_cost_per_token: undefined, output_cost_per_token: undefined },
      },
    }),
  );
  expect(added.entries).toMatchObject([
    { id: "zhipu/embedding-4", capabilities: ["embeddings"], price: { input: "1", output: "0" } },
    { id: "zhipu/cogview-5", capabilities: ["images"], price: { mode: "per_image", unit_price: "0.02" } },
  ]);
});

test("a family's traits come with its models, and set right what the list says that they can", () => {
  const { added } = adding(hosted(), listOf({ "zai/glm-4.6": { supports_vision: true } }));
  expect(added.entries[0]).toMatchObject({
    capabilities: ["chat", "stream", "reasoning"],
    traits: { reasoning: { forms: ["switch"] }, inputs: [] },
  });
});

describe("with hosts as models", () => {
  const rows = {
    [`${path}glm-5`]: {},
    "groq/zai-org/glm-5": { input_cost_per_token: 9e-5 },
    "zai/glm-6": {},
  };

  test("a row is a model of its own provider, at its own price, and takes nobody's name", () => {
    const json = hosted();
    const one = { protocols: { openai: "https://api.example/v1" }, secret: "KEY" };
    Object.assign((json as unknown as { providers: object }).providers, { groq: one });
    const { added } = adding(json, listOf(rows), "models");
    expect(added.channels).toEqual([]);
    expect(added.entries).toMatchObject([
      { id: "zhipu/glm-6", aliases: ["glm-6"] },
      { id: "fireworks/glm-5", aliases: [] },
      { id: "groq/glm-5", owned_by: "groq", aliases: ["groq/zai-org/glm-5"], price: { input: "90" } },
    ]);
  });
});

describe("names of one model", () => {
  const names = (rows: Record<string, object>) =>
    withOneName(
      readPriceList(listOf(rows), day).models.map((listed) => ({ provider: "zhipu", listed })),
      pointsPerUsd,
    ).map(({ listed }) => [listed.name, ...(listed.about.aliases ?? [])]);

  test("are together where the list says the very same", () => {
    expect(names({ "zai/glm-6": {}, "zai/glm-6-latest": {}, "zai/glm-6-20260102": {} })).toEqual([
      ["glm-6", "glm-6-latest", "glm-6-20260102"],
    ]);
  });

  test("are apart where it says otherwise, and where there are several days", () => {
    expect(names({ "zai/glm-6": {}, "zai/glm-6-latest": { input_cost_per_token: 5e-6 } })).toHaveLength(2);
    expect(names({ "zai/a": {}, "zai/a-2026-01-02": {}, "zai/a-2026-02-02": {} })).toHaveLength(3);
  });
});
