/**
 * The official OpenAI SDKs embed through the running gateway. Without `encoding_format` they ask for base64
 * and decode it themselves; the provider is asked for numbers, and the client has true ones (design §4).
 */
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt, expectCleanAudit, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: catalogAt(upstream.url), env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

/** Numbers that base64 of float32 carries exactly. */
const vectors = [
  [0.5, -0.25, 1e-3, 3],
  [0, 1, -1, 0.125],
].map((vector) => vector.map(Math.fround));
beforeEach(() => {
  upstream.reset();
  upstream.json({
    object: "list",
    model: "upstream-embedding",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: 4, total_tokens: 4 },
  });
});

describe.each(Object.entries({ "openai 7": OpenAI, "openai 6": OpenAI6 as unknown as typeof OpenAI }))(
  "%s",
  (_, Sdk) => {
    const embed = async (options: Partial<OpenAI.EmbeddingCreateParams> = {}) => {
      const client = new Sdk({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
      const reply = await client.embeddings.create({
        model: "test/embedding-1",
        input: ["a", "b"],
        ...options,
      });
      return reply.data.map(({ embedding }) => embedding as unknown);
    };
    const asked = () => JSON.parse(upstream.requests[0]?.body.toString() ?? "null") as object;

    test("without a format it gets true floats", async () => {
      expect(await embed()).toEqual(vectors);
      expect(asked()).toMatchObject({ model: "upstream-embedding", encoding_format: "float" });
    });

    test("floats by name are floats", async () => {
      expect(await embed({ encoding_format: "float" })).toEqual(vectors);
    });

    test("base64 by name is base64", async () => {
      const encoded = vectors.map((vector) =>
        Buffer.from(Float32Array.from(vector).buffer).toString("base64"),
      );
      expect(await embed({ encoding_format: "base64" })).toEqual(encoded);
      expect(asked()).toMatchObject({ encoding_format: "float" });
    });
  },
);

test("every call is on the ledger", () => expectCleanAudit(gateway));
