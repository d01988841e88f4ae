/** Which providers are called for real on this machine, and with which keys. */
import { expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import { keysSet, localCatalog } from "#infra/local/start/local-catalog.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample } from "#test/support/catalog.ts";
import { testClouds } from "#test/support/clouds.ts";

const demo = "http://127.0.0.1:1";
const here = { protocols: { openai: "http://127.0.0.1:8000/v1" }, secret: "HERE_KEY" };
const catalog = parseCatalog({ ...sample(), providers: { ...sample().providers, here } });
const urlOf = (env: Record<string, string>, name: string) =>
  localCatalog(catalog, demo, env).catalog.providers[name]?.protocols.openai;

test("the demo provider plays those without a key, and none at an address of this machine", () => {
  const { played, secrets } = localCatalog(catalog, demo, {});
  expect(played).toEqual(["acme", "talk"]);
  expect(secrets).toEqual({ ACME_API_KEY: "demo", TALK_KEY: "demo", HERE_KEY: "none" });
  expect([urlOf({}, "acme"), urlOf({}, "here")]).toEqual([`${demo}/acme/openai`, here.protocols.openai]);
});

test("those with a key are called with it", () => {
  const env = { ACME_API_KEY: "sk-real", HERE_KEY: "own" };
  const { played, secrets } = localCatalog(catalog, demo, env);
  expect([played, secrets]).toEqual([["talk"], { ...env, TALK_KEY: "demo" }]);
  expect(urlOf(env, "acme")).toBe("https://api.acme.example/v1");
});

test("a model that is called for real is not called at the demo provider too", () => {
  const second = {
    protocols: { openai: "https://{ACME_HOST}.test/v1" },
    auth: "azure",
    secret: "AZURE_KEY",
  };
  const { models, providers } = sample();
  const [first, ...rest] = models;
  const channels = [...(first?.channels ?? []), { provider: "azure", model: "sonic", priority: 2 }];
  const both = parseCatalog({
    ...sample(),
    providers: { ...providers, azure: second },
    models: [{ ...first, channels }, ...rest],
  });
  const askedWith = (env: Record<string, string>) =>
    localCatalog(both, demo, env).catalog.models[0]?.channels.map(({ provider }) => provider);
  expect(askedWith({})).toEqual(["acme", "azure"]);
  expect(askedWith({ ACME_API_KEY: "sk-real" })).toEqual(["acme"]);
  expect(askedWith({ AZURE_KEY: "key", ACME_HOST: "ours" })).toEqual(["azure"]);
  // Without its address the second one cannot be called either.
  expect(askedWith({ AZURE_KEY: "key" })).toEqual(["acme", "azure"]);
});

test("clouds are played with a credential file for the played token services, which nobody has set", () => {
  const providers = {
    vertex: { protocols: { openai: "https://{ACME_HOST}.test/v1" }, auth: "google", secret: "GOOGLE_KEY" },
    azure: { protocols: { openai: "https://azure.test/v1" }, auth: "azure", secret: "AZURE_KEY" },
  };
  const clouds = parseCatalog({ ...sample(), providers: { ...sample().providers, ...providers } });
  const { secrets } = localCatalog(clouds, demo, {});
  expect(secrets.ACME_HOST).toBe("demo");
  expect(JSON.parse(secrets.GOOGLE_KEY ?? "")).toMatchObject({
    type: "external_account",
    token_url: `${demo}/vertex/token/google/exchange`,
  });
  expect(JSON.parse(secrets.AZURE_KEY ?? "")).toMatchObject({
    activeDirectoryEndpointUrl: `${demo}/azure/token/azure`,
  });
  expect(keysSet(JSON.stringify(secrets))).toEqual({});
  const own = '{"type":"service_account"}';
  expect(localCatalog(clouds, demo, { GOOGLE_KEY: own }).secrets.GOOGLE_KEY).toBe(own);
  expect(keysSet(JSON.stringify({ GOOGLE_KEY: own }))).toEqual({ GOOGLE_KEY: own });
});

test("the played token services take the files", async () => {
  const server = await startDemoProvider();
  try {
    for (const auth of ["google", "azure"] as const) {
      const given = { cloud: { protocols: { openai: "https://cloud.test/v1" }, auth, secret: "CLOUD_KEY" } };
      const clouds = parseCatalog({ ...sample(), providers: { ...sample().providers, ...given } });
      const { CLOUD_KEY } = localCatalog(clouds, server.url, {}).secrets;
      const authorize = await testClouds().authorizer(auth, {}, CLOUD_KEY);
      const { headers } = await authorize({
        method: "POST",
        url: "https://cloud.test/",
        headers: {},
        body: "",
      });
      expect(headers.authorization).toMatch(/^Bearer demo-/);
    }
  } finally {
    await server.stop();
  }
});

test("keys that stand in for one are none that somebody has set", () => {
  expect(keysSet('{"A":"demo","B":"none","C":"sk-real","$set":{"C":1}}')).toEqual({ C: "sk-real" });
});
