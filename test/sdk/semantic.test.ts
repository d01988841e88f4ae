/** The vendors' own SDKs read the answer to another question that means the same, whole and streamed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { speeches } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { firstWording, wordings } from "#test/support/wordings.ts";
import { type CachedClients, cachedClients } from "./cached-clients.ts";

let gateway: LocalGateway;
beforeAll(async () => {
  // The demo provider plays embedder and judge.
  gateway = await startLocal();
});
afterAll(() => gateway?.stop());

const model = "openai/gpt-5.4-mini";
const clientsAsking = (question: string): CachedClients =>
  cachedClients(gateway, gateway.keys.subscription, {
    question,
    headers: { "x-gateway-cache": "semantic" },
  });
const embeddings = () => gateway.output().split("demo/embedder").length;

test.each(speeches)("%s", async (client) => {
  const before = embeddings();
  const fresh = await clientsAsking(firstWording)[client].whole(model);
  expect(fresh.text).toContain(firstWording);
  expect(fresh.counts.every((count) => Number(count) > 0)).toBe(true);
  await expect.poll(embeddings).toBeGreaterThan(before);
  const questions = wordings();
  const known = new Set([fresh.text]);
  /** Whether another wording gets an answer again, for no tokens. Until it does, each one leaves an answer of its own. */
  const isAgain = async (way: "whole" | "streamed") => {
    const { text, counts } = await clientsAsking(String(questions.next().value))[client][way](model);
    const isKnown = known.has(text) && counts.every((count) => count === 0);
    known.add(text);
    return isKnown;
  };
  // One of fifty is audited, and the learner may still be writing.
  for (const way of ["whole", "streamed"] as const)
    await expect.poll(() => isAgain(way), { timeout: 20_000 }).toBe(true);
});
