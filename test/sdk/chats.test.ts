/**
 * Google's chats keep their history over crossed streams. The SDK forgets a turn in which any chunk has no part:
 * the second question would then go without the first.
 */
import { GoogleGenAI } from "@google/genai";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crossedCatalog } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { startVendors, type Vendors, words } from "#test/support/vendors.ts";

let vendors: Vendors;
let gateway: LocalGateway;
beforeAll(async () => {
  vendors = await startVendors();
  gateway = await startLocal({
    catalog: crossedCatalog(vendors.url),
    env: { TEST_API_KEY: "upstream-secret" },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

const majors = [
  ["@google/genai 3", GoogleGenAI],
  ["@google/genai 2", GoogleGenAI2 as unknown as typeof GoogleGenAI],
] as const;

test.each(majors)("%s: the second question brings the first and its answer", async (_, Sdk) => {
  const client = new Sdk({ apiKey: gateway.keys.payg, httpOptions: { baseUrl: `${gateway.url}/api` } });
  const chat = client.chats.create({ model: "openai/model-1" });
  for (const message of ["one", "two"]) await Array.fromAsync(await chat.sendMessageStream({ message }));
  // The SDK keeps each chunk as a turn of its own.
  const sent = vendors.requests.at(-1)?.body.messages as { role: string; content: string }[];
  const answers = sent.slice(1, -1);
  expect([sent[0], sent.at(-1)]).toMatchObject([
    { role: "user", content: "one" },
    { role: "user", content: "two" },
  ]);
  expect(new Set(answers.map(({ role }) => role))).toEqual(new Set(["assistant"]));
  expect(answers.map(({ content }) => content).join("")).toBe(words.join(""));
});
