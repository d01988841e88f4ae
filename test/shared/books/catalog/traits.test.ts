/**
 * What models take: the rules of a catalog's traits, and that the default catalog states them for every
 * model that chats.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { CatalogError, parseCatalog } from "#shared/books/catalog/schema.ts";
import { traitsAt } from "#shared/books/catalog/traits.ts";
import { statedTraits } from "#shared/books/catalog/traits-schema.ts";
import { checkCatalog } from "#shared/edges/operator/catalog-check.ts";
import { sample, set } from "#test/support/catalog.ts";
import { catalogFile } from "#test/support/default-catalog.ts";

const file = JSON.stringify(catalogFile);
const document = readFileSync(new URL("../../../../shared/books/catalog/traits.md", import.meta.url), "utf8");
const catalog = parseCatalog(JSON.parse(file));
const chats = catalog.models.filter(({ capabilities }) => capabilities.includes("chat"));

function problemsOf(json: unknown): readonly string[] {
  try {
    parseCatalog(json);
    return [];
  } catch (error) {
    if (error instanceof CatalogError) return error.problems;
    throw error;
  }
}

const stated = (traits: object) => ({ source: "acme.example/models", as_of: "2026-11-20", ...traits });

describe("traits of a catalog", () => {
  test("may be left out everywhere, and say nothing then", () => {
    const { models, providers } = parseCatalog(sample());
    expect([...models, ...Object.values(providers)].filter((owner) => "traits" in owner)).toEqual([]);
  });

  test("come from the model, and from its provider where the model is silent", () => {
    const model = { traits: { stop_max: 1, sampling: { temperature_max: 1 } } };
    const provider = { traits: { stop_max: 4, sampling: { refused: ["seed" as const] }, store: true } };
    expect(traitsAt(model, provider)).toEqual({ stop_max: 1, sampling: { temperature_max: 1 }, store: true });
  });

  test("of a channel come before both, and are held to the same rules", () => {
    const model = { traits: { stop_max: 1, store: false } };
    expect(traitsAt(model, { traits: { stop_max: 4 } }, { traits: { stop_max: 2 } })).toEqual({
      stop_max: 2,
      store: false,
    });
    const channel = { provider: "acme", model: "sonic" };
    const reasoning = { forms: ["budget"], efforts: ["low"] };
    const given = set(sample(), "models.0.channels.0", { ...channel, traits: stated({ reasoning }) });
    expect(problemsOf(given)).toContain(
      "models[0].channels[0].traits.reasoning.efforts: only with the form effort",
    );
  });

  // traits of the chat model, its capabilities, and each problem as it is told
  const broken: [traits: object, capabilities: string[], problems: string[]][] = [
    [{ as_of: "20 November" }, [], ["models[0].traits.as_of: must be a day like 2026-11-20"]],
    [{ source: "" }, [], ["models[0].traits.source: Too small: expected string to have >=1 characters"]],
    [{ surprise: 1 }, [], ['models[0].traits: Unrecognized key: "surprise"']],
    [
      { inputs: ["image_url", "image_url"] },
      ["vision"],
      ["models[0].traits.inputs: must not say a word twice"],
    ],
    [
      { reasoning: { forms: ["budget"], budget_tokens: { min: 9, max: 8 } } },
      ["reasoning"],
      ["models[0].traits.reasoning.budget_tokens: must not have a `min` above its `max`"],
    ],
    [
      { reasoning: { forms: ["budget"], efforts: ["low"] } },
      ["reasoning"],
      ["models[0].traits.reasoning.efforts: only with the form effort"],
    ],
    [
      { reasoning: { forms: ["effort"], budget_tokens: { min: 1, max: 8 } } },
      ["reasoning"],
      ["models[0].traits.reasoning.budget_tokens: only with the form budget"],
    ],
    [
      { reasoning: { forms: ["effort"], efforts: ["none", "low"], always: true } },
      ["reasoning"],
      ["models[0].traits.reasoning.always: but the effort none turns it off"],
    ],
    [
      {
        reasoning: { forms: ["budget"], budget_tokens: { min: 0, max: 8 }, always: true, by_default: false },
      },
      ["reasoning"],
      [
        "models[0].traits.reasoning.always: but a budget of 0 turns it off",
        "models[0].traits.reasoning.always: but by_default says that it does not",
      ],
    ],
    [
      { reasoning: { forms: ["effort"], tool_choice_with: ["budget"] } },
      ["reasoning"],
      [
        "models[0].traits.reasoning.tool_choice_with: budget is not in forms",
        "models[0].traits.reasoning.tool_choice_with: only with tool_choice",
      ],
    ],
    [
      { tool_choice: ["auto"], reasoning: { forms: ["switch"], tool_choice: ["auto", "none"] } },
      ["reasoning", "tools"],
      ["models[0].traits.reasoning.tool_choice: none is not in tool_choice"],
    ],
    [
      { sampling: { refused: ["top_k"], refused_reasoning: ["top_k"], one_of: [["top_p", "top_k"]] } },
      [],
      [
        "models[0].traits.sampling.refused_reasoning: top_k is refused anyway",
        "models[0].traits.sampling.one_of: top_k is refused anyway",
      ],
    ],
    [
      { reasoning: { forms: [] } },
      ["reasoning"],
      ["models[0].traits.reasoning.forms: the model has the capability reasoning"],
    ],
    [
      { reasoning: { forms: ["switch"] } },
      [],
      ["models[0].traits.reasoning.forms: the model lacks the capability reasoning"],
    ],
    [{ inputs: ["pdf_bytes"] }, ["vision"], ["models[0].traits.inputs: the model has the capability vision"]],
    [{ inputs: ["image_url"] }, [], ["models[0].traits.inputs: the model lacks the capability vision"]],
    [{ tool_choice: ["required"] }, ["tools"], ["models[0].traits.tool_choice: must have auto"]],
    [{ tool_choice: ["auto"] }, [], ["models[0].traits.tool_choice: the model lacks the capability tools"]],
  ];
  test.each(broken)("%j with %j are refused", (traits, capabilities, problems) => {
    const json = set(sample(), "models.0.capabilities", ["chat", "stream", ...capabilities]);
    expect(problemsOf(set(json, "models.0.traits", stated(traits)))).toEqual(problems);
  });

  test("of a provider are held to the same, and to the capabilities of its models", () => {
    const efforts = { reasoning: { forms: ["switch"], efforts: ["low"] } };
    expect(problemsOf(set(sample(), "providers.acme.traits", stated(efforts)))).toEqual([
      "providers.acme.traits.reasoning.efforts: only with the form effort",
      "models[0].traits.reasoning.forms: the model lacks the capability reasoning",
    ]);
  });

  test("are for models that chat", () => {
    expect(problemsOf(set(sample(), "models.1.traits", stated({})))).toEqual([
      "models[1].traits.source: only models that chat have traits",
    ]);
  });

  test("that are older than a year are told by the operator's command", () => {
    const json = set(sample(), "providers.acme.traits", stated({ stop_max: 4 }));
    const file = set(json, "models.0.traits", stated({ as_of: "2025-11-20" }));
    const old = "its traits are of";
    const told = (at: string) =>
      checkCatalog(file, Date.parse(at)).warnings.filter((line) => line.includes("traits"));
    expect(told("2026-11-20T23:59:59Z")).toEqual([]);
    expect(told("2027-11-21T00:00:00Z")).toEqual([
      `provider acme: ${old} 2026-11-20, 366 days old (acme.example/models)`,
      `acme/Sonic-1-5: ${old} 2025-11-20, 731 days old (acme.example/models)`,
    ]);
  });
});

describe("the default catalog", () => {
  /** The vendors in whose own protocols a client may speak. Of others' models what is known is stated, or nothing. */
  const own = ["openai", "anthropic", "google", "minimax", "volcengine", "zhipu"];
  const native = chats.filter(({ owned_by }) => own.includes(owned_by));

  test.each(native.map((model) => [model.id, model] as const))("says what %s takes", (_, model) => {
    expect(model.traits?.source).toMatch(/\w/);
    expect(model.traits?.as_of).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(model.traits?.reasoning).toBeDefined();
  });
});

describe("the document", () => {
  test("names every member of traits", () => {
    const members = Object.entries(z.toJSONSchema(statedTraits).properties ?? {}).flatMap(
      ([name, member]) => {
        const inner = (member as { properties?: object }).properties;
        return inner ? Object.keys(inner).map((each) => `${name}.${each}`) : [name];
      },
    );
    const unnamed = members.filter((member) => !document.includes(`\`${member}\``));
    expect(unnamed).toEqual([]);
  });

  test("has an example that the check takes", () => {
    const [provider, traits] = [...document.matchAll(/```json\n(.*?)```/gs)].map(
      ([, json = "{}"]) => JSON.parse(json) as { protocols: object },
    );
    const { ark } = sample().providers.acme.protocols;
    const acme = { ...provider, protocols: { ...provider?.protocols, ark } };
    const abilities = ["chat", "stream", "reasoning", "vision"];
    const example = set(set(sample(), "providers.acme", acme), "models.0.capabilities", abilities);
    expect(traits).toHaveProperty("reasoning.efforts");
    expect(problemsOf(set(example, "models.0.traits", traits))).toEqual([]);
  });
});
