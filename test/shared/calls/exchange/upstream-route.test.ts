/** Which protocol a provider is asked in: the client's own where it can be, else one that both sides can cross to. */
import { describe, expect, test } from "vitest";
import type { Provider } from "#shared/books/catalog/catalog.ts";
import { isCrossing, routeTo } from "#shared/calls/exchange/upstream-route.ts";
import { protocols } from "#shared/calls/protocols/index.ts";

const url = "https://provider.test";
const speaking = (...dialects: string[]) =>
  ({
    protocols: Object.fromEntries(dialects.map((name) => [name, `${url}/${name}`])),
  }) as unknown as Provider;

describe("the route to a provider", () => {
  test.each([
    [
      "in the client's own protocol, whatever else the provider speaks",
      "anthropic",
      ["openai", "anthropic"],
      [],
      "anthropic",
    ],
    [
      "also where the model refuses it: nothing is translated then",
      "openai-chat",
      ["openai", "responses"],
      ["openai"],
      "openai",
    ],
    ["across, where the provider does not speak it", "gemini", ["anthropic"], [], "anthropic"],
    [
      "across in a protocol that the model does not refuse",
      "anthropic",
      ["openai", "responses"],
      ["openai"],
      "responses",
    ],
    ["across in a refused one, where there is no other", "anthropic", ["openai"], ["openai"], "openai"],
    ["none for a protocol that does not cross", "openai-images", ["anthropic"], [], undefined],
    ["none to a provider that speaks no protocol", "openai-chat", [], [], undefined],
  ] as const)("%s", (_, client, spoken, refused, dialect) => {
    const route = routeTo(speaking(...spoken), protocols[client], refused);
    expect(route?.dialect).toBe(dialect);
    expect(route?.base_url).toBe(dialect && `${url}/${dialect}`);
  });
});

test("a call crosses between two chat protocols, and never into its own", () => {
  expect(isCrossing(protocols.anthropic, protocols["openai-chat"])).toBe(true);
  expect(isCrossing(protocols.anthropic, protocols.anthropic)).toBe(false);
  expect(isCrossing(protocols["openai-embeddings"], protocols["openai-chat"])).toBe(false);
});
