/** A provider with several keys: a call that one key cannot have goes on with the next one. */
import { beforeEach, expect, test } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { completion, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
/** The secrets that the providers' secret has. */
let known: string[];

beforeEach(() => {
  known = ["KEY_ONE", "KEY_TWO"];
  const base = testCatalog(scenario.upstream.url) as { providers: { test: { secret?: string } } };
  const { secret: _, ...provider } = base.providers.test;
  const catalog = { ...base, providers: { test: { ...provider, secrets: ["KEY_ONE", "KEY_TWO"] } } };
  scenario.memory = createMemory(catalog);
  scenario.key = scenario.memory.addKey();
  scenario.memory.deps.secrets.provider = async (name) =>
    known.includes(name) ? `value of ${name}` : undefined;
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
});

const keysAsked = () => scenario.upstream.requests.map(({ headers }) => headers.authorization ?? "");

test.each([401, 429, 503])("a key that gets %s is followed by the other one", async (status) => {
  scenario.upstream.on((_, response) => {
    const isFirst = scenario.upstream.requests.length === 1;
    response.writeHead(isFirst ? status : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isFirst ? {} : completion));
  });
  const answer = await scenario.chat();
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ "x-gateway-provider": "test", "x-gateway-attempts": "2" });
  const [first = "", ...others] = keysAsked();
  expect([first, ...others].toSorted()).toEqual(["Bearer value of KEY_ONE", "Bearer value of KEY_TWO"]);
  const failed = scenario.memory.logs.find(({ event }) => event === "upstream_failed");
  expect(`Bearer value of ${failed?.fields.credential}`).toBe(first);
  expect(JSON.stringify(scenario.memory.logs)).not.toContain("value of");
});

test("a key that is not there is left out", async () => {
  known = ["KEY_TWO"];
  scenario.upstream.json(completion);
  for (let call = 0; call < 4; call++) expect((await scenario.chat()).status).toBe(200);
  expect(keysAsked()).toEqual(Array(4).fill("Bearer value of KEY_TWO"));
});
