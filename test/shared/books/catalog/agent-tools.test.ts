/** What `catalog check` says of hosted tools that coding agents send by themselves: one line a tool, not one a model. */
import { expect, test } from "vitest";
import { agentTools } from "#shared/books/catalog/agent-tools.ts";
import { checkCatalog } from "#shared/edges/operator/catalog-check.ts";
import { sample } from "#test/support/catalog.ts";

/** A catalog with this many chat models at a host that speaks `protocol`. Each has its own tools with a rate. */
function hosting(protocol: string, rated: (object | undefined)[], hosted_tools?: string[]) {
  const json = sample();
  const [chat] = json.models;
  const protocols = { [protocol]: "https://host.example/v1" };
  const traits = { source: "its documents", as_of: "2026-11-01", ...(hosted_tools && { hosted_tools }) };
  const models = rated.map((tools, at) => ({
    ...chat,
    ...{ id: `host/model-${at}`, aliases: [], channels: [{ provider: "host", model: "m" }] },
    ...(tools && {
      pricing_group: undefined,
      price: { ...json.pricing_groups.shared, rates: { tools } },
    }),
  }));
  const host = { protocols, secret: "HOST_KEY", traits };
  return { ...json, providers: { ...json.providers, host }, models: [...json.models, ...models] };
}

const said = (file: object) =>
  checkCatalog(file, Date.parse("2026-11-28")).warnings.filter((line) =>
    line.includes("is refused by models"),
  );

test("a tool that models have no rate for is one line, with the first of them", () => {
  const none = Array.from({ length: 7 }, () => undefined);
  const [line, ...others] = said(hosting("responses", [...none, { web_search: "0.01" }]));
  expect(others).toEqual([]);
  expect(line).toBe(
    "Codex sends web_search with every request, and is refused by models without a rate for web_search: " +
      `${[0, 1, 2, 3, 4].map((at) => `host/model-${at}`).join(", ")} and 2 more`,
  );
});

test.each(agentTools)("$agent's $type needs a rate where its host may run it", ({ protocol, type, name }) => {
  expect(said(hosting(protocol, [undefined]))).toHaveLength(1);
  expect(said(hosting(protocol, [undefined], [type]))).toHaveLength(1);
  expect(said(hosting(protocol, [undefined], []))).toEqual([]);
  expect(said(hosting(protocol, [{ [name]: "0.01" }]))).toEqual([]);
});

test("models that the agent reaches by a crossing alone need none", () => {
  expect(said(hosting("openai", [undefined]))).toEqual([]);
});
