/** A channel's id: short, the same everywhere, and another one for anything else. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { channelId } from "#shared/books/catalog/channel-id.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample, set } from "#test/support/catalog.ts";

test("is six letters or digits, whatever the names are", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (provider, model, secret) => {
      expect(channelId(provider, model, secret)).toMatch(/^[0-9a-z]{6}$/);
    }),
    { seed: 20261122 },
  );
});

test("never changes: what is on the board was written under it", () => {
  expect(channelId("openai", "gpt-5.4-mini", "OPENAI_API_KEY")).toBe("tnwugu");
  expect(channelId("azure", "gpt-5.4-mini", "AZURE_API_KEY")).toBe("3p8j3k");
});

test("another provider, model or secret has another one, also where the names run together", () => {
  const ids = [
    channelId("acme", "m", "KEY"),
    channelId("acme", "m", "OTHER"),
    channelId("acme", "n", "KEY"),
    channelId("globex", "m", "KEY"),
    channelId("acmem", "", "KEY"),
    channelId("acme", "mKEY", ""),
    channelId('acme","m', "", "KEY"),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test("ten thousand channels share no id", () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => channelId(`provider-${at}`, "m", "KEY"));
  expect(new Set(ids).size).toBe(ids.length);
});

test("each channel of a catalog has the id of its own credential", () => {
  const json = set(set(sample(), "providers.acme.secret", undefined), "providers.acme.secrets", ["A", "B"]);
  const { channels = [] } = createCatalog(parseCatalog(json)).find("acme/sonic-1-5") ?? {};
  expect(channels.map(({ id }) => id)).toEqual(
    ["A", "B"].map((secret) => channelId("acme", "upstream", secret)),
  );
});
