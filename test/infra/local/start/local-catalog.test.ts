/** Which providers are called for real on this machine, and with which keys. */
import { expect, test } from "vitest";
import { keysSet, localCatalog } from "#infra/local/start/local-catalog.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample } from "#test/support/catalog.ts";

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

test("keys that stand in for one are none that somebody has set", () => {
  expect(keysSet('{"A":"demo","B":"none","C":"sk-real","$set":{"C":1}}')).toEqual({ C: "sk-real" });
});
