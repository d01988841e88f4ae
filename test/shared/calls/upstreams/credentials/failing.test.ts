/** Tokens of clouds in calls through the gateway: one that cannot be had, and providers that repeat one. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { testClouds } from "#test/support/clouds.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { completion, useScenario } from "#test/support/scenario.ts";
import { startTokenServices, type TokenServices } from "#test/support/token-services.ts";

const scenario = useScenario();
let services: TokenServices;
beforeAll(async () => (services = await startTokenServices()));
afterAll(() => services.stop());
beforeEach(() => services.reset());

const token = "ya29.token-0123456789-abcdef";

/** A model at Google first and at another provider next, by a token of the test's services. */
function serveByToken() {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as {
    providers: Record<string, object>;
    models: { channels: object[] }[];
  };
  catalog.providers.google = { protocols: { openai: `${url}/google` }, auth: "google", secret: "TEST_FILE" };
  const channels = [
    { provider: "google", model: "first" },
    { provider: "test", model: "next", priority: 2 },
  ];
  catalog.models[0]?.channels.splice(0, 1, ...channels);
  scenario.memory = createMemory(catalog);
  const file = JSON.stringify({
    type: "external_account",
    audience: "//iam.googleapis.com/pool",
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    token_url: `${services.url}/sts`,
  });
  const { deps } = scenario.memory;
  const provider = async (name: string) => (name === "TEST_FILE" ? file : "key");
  deps.secrets = { ...deps.secrets, provider, lacks: () => false };
  deps.clouds = testClouds();
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
}

test.each([
  ["refuses us", { error: "invalid_grant", error_description: "own-session-token" }, 403],
  ["is down", {}, 503],
  ["answers nonsense", { access_token: 7 }, 200],
])(
  "a token service that %s is its channel's fault, and the next channel serves",
  async (_, answer, status) => {
    serveByToken();
    services.answers({ "/sts": answer }, status);
    scenario.upstream.json(completion);
    const answered = await scenario.chat();
    expect(answered.status).toBe(200);
    expect(scenario.upstream.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
    const told = JSON.stringify(scenario.memory.logs);
    expect(told).toContain("Google's token service");
    expect(told).not.toContain("own-session-token");
  },
);

test("a provider that repeats the token tells it to nobody", async () => {
  serveByToken();
  services.answers({ "/sts": { access_token: token, expires_in: 3600 } });
  const forms = [token, encodeURIComponent(token), Buffer.from(token).toString("base64")];
  scenario.upstream.on((_, response) => {
    const message = `Unsupported parameter. You sent ${forms.join(" and ")}`;
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message, code: token, param: token } }));
  });
  const answered = await scenario.chat();
  expect(answered.status).toBe(400);
  expect(scenario.upstream.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
  const told = JSON.stringify([answered.json(), answered.headers, scenario.memory.logs]);
  expect(told).toContain("Unsupported parameter");
  for (const form of forms) expect(told).not.toContain(form.slice(0, 12));
});

test("calls at the same time, and those after them, wait for one token", async () => {
  serveByToken();
  services.answers({ "/sts": { access_token: token, expires_in: 3600 } });
  scenario.upstream.json(completion);
  await Promise.all([scenario.chat(), scenario.chat(), scenario.chat()]);
  expect((await scenario.chat()).status).toBe(200);
  expect(services.asked("/sts")).toHaveLength(1);
  expect(scenario.upstream.requests).toHaveLength(4);
});
