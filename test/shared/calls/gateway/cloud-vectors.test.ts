/** Vectors of Bedrock for OpenAI's clients: the makers' forms, several requests, usage, refusals. */
import { describe, expect, test } from "vitest";
import { cloudNames, type Json, titan, useCloud, vectorOf } from "#test/support/cloud-models.ts";

const cloud = useCloud();
const listed = (vectors: number[][]) =>
  vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
const counted = (tokens: number) => ({ "x-amzn-bedrock-input-token-count": String(tokens) });
const cohere = ({ texts }: Json) => ({
  body: { embeddings: { float: (texts as string[]).map(vectorOf) } },
  headers: counted(7),
});

describe("OpenAI's clients", () => {
  test("send Titan one request for each text, and are billed the sum of its counts", async () => {
    cloud.answer = titan;
    const reply = await cloud.embed("titan", { input: ["a", "bb", "ccc"], dimensions: 256, user: "u" });
    expect(reply.json()).toEqual({
      object: "list",
      data: listed([vectorOf("a"), vectorOf("bb"), vectorOf("ccc")]),
      model: cloudNames.titan,
      usage: { prompt_tokens: 6, total_tokens: 6 },
    });
    expect(reply.headers["x-gateway-dropped"]).toBe("user");
    const body = (inputText: string) => ({
      ...{ inputText, dimensions: 256, normalize: true, embeddingTypes: ["float"] },
    });
    const inOrder = cloud
      .sent()
      .sort((one, other) => String(one.body.inputText).localeCompare(String(other.body.inputText)));
    expect(inOrder).toEqual(
      ["a", "bb", "ccc"].map((text) => ({
        path: "/model/amazon.titan-embed-text-v2%3A0/invoke",
        body: body(text),
      })),
    );
    const { authorization } = cloud.scenario.upstream.requests[2]?.headers ?? {};
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 .*\/bedrock\/aws4_request/);
    expect(cloud.scenario.memory.events).toMatchObject([
      {
        kind: "embedding",
        evidence: "reported",
        usage: { input_tokens: 6 },
        cost_points: "0.0000006",
        user: "u",
      },
    ]);
  });

  test("have the vectors in the order of their texts, whichever comes first", async () => {
    cloud.answer = titan;
    const input = Array.from({ length: 100 }, (_, index) => "x".repeat(1 + ((index * 37) % 100)));
    const reply = await cloud.embed("titan", { input });
    expect(reply.json().data).toEqual(listed(input.map(vectorOf)));
    expect(reply.json().usage).toEqual({ prompt_tokens: 5050, total_tokens: 5050 });
    expect(cloud.sent().length).toBe(100);
  });

  test("get Nova's vectors as base64, counted by the header", async () => {
    cloud.answer = ({ singleEmbeddingParams }) => {
      const { text } = singleEmbeddingParams as { text: Json };
      return {
        body: { embeddings: [{ embeddingType: "TEXT", embedding: vectorOf(text.value) }] },
        headers: counted(5),
      };
    };
    const reply = await cloud.embed("nova", { input: "abc", encoding_format: "base64" });
    const [item] = reply.json().data as { embedding: string }[];
    const bytes = Buffer.from(item?.embedding ?? "", "base64");
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([3, 0.5]);
    expect(cloud.sent()).toEqual([
      {
        path: "/model/amazon.nova-2-multimodal-embeddings-v1%3A0/invoke",
        body: {
          schemaVersion: "nova-multimodal-embed-v1",
          taskType: "SINGLE_EMBEDDING",
          singleEmbeddingParams: {
            embeddingPurpose: "GENERIC_INDEX",
            text: { truncationMode: "NONE", value: "abc" },
          },
        },
      },
    ]);
    expect(cloud.scenario.memory.events[0]).toMatchObject({
      evidence: "reported",
      usage: { input_tokens: 5 },
    });
  });

  test("send Cohere 96 texts in a request, and say what the texts are for", async () => {
    cloud.answer = cohere;
    const input = Array.from({ length: 100 }, (_, index) => "x".repeat(index + 1));
    const reply = await cloud.embed("cohere", { input, dimensions: 512, input_type: "search_query" });
    expect(reply.json().data).toEqual(listed(input.map(vectorOf)));
    expect(reply.headers).not.toHaveProperty("x-gateway-dropped");
    const asked = { input_type: "search_query", truncate: "NONE", embedding_types: ["float"] };
    const inOrder = cloud
      .sent()
      .sort((one, other) => (other.body.texts as Json[]).length - (one.body.texts as Json[]).length);
    expect(inOrder).toEqual(
      [input.slice(0, 96), input.slice(96)].map((texts) => ({
        path: "/model/global.cohere.embed-v4%3A0/invoke",
        body: { texts, ...asked, output_dimension: 512 },
      })),
    );
    expect(cloud.scenario.memory.events[0]).toMatchObject({ usage: { input_tokens: 14 } });
  });

  test("send Cohere's version 3 documents, if they do not say what the texts are for", async () => {
    cloud.answer = ({ texts }) => ({
      body: { embeddings: (texts as string[]).map(vectorOf) },
      headers: counted(2),
    });
    expect((await cloud.embed("english", { input: "a", dimensions: 1024 })).json().data).toEqual(
      listed([vectorOf("a")]),
    );
    expect(cloud.sent()[0]?.body).toEqual({
      ...{ texts: ["a"], input_type: "search_document", truncate: "NONE", embedding_types: ["float"] },
    });
  });

  test("are billed the estimate where one of the counts is missing", async () => {
    cloud.answer = ({ inputText }) => ({
      body: { embedding: vectorOf(inputText), ...(inputText === "a" && { inputTextTokenCount: 1 }) },
    });
    const reply = await cloud.embed("titan", { input: ["a", "b"] });
    expect(reply.json()).not.toHaveProperty("usage");
    expect(cloud.scenario.memory.events[0]).toMatchObject({ evidence: "estimated", flags: ["no_usage"] });
  });

  test.each([
    ["titan", "tokens", { input: [1, 2] }, "`input`"],
    ["titan", "more than 100 texts", { input: Array.from({ length: 101 }, () => "a") }, "100"],
    ["titan", "another size", { input: "a", dimensions: 100 }, "256, 512, 1024"],
    ["nova", "another size", { input: "a", dimensions: 512 }, "256, 384, 1024, 3072"],
    ["english", "another size", { input: "a", dimensions: 256 }, "one of 1024"],
    ["cohere", "a purpose that is no text", { input: "a", input_type: 1 }, "`input_type`"],
  ] as const)("%s takes no %s, and nothing is consumed", async (name, _, body, why) => {
    const reply = await cloud.embed(name, body);
    expect([reply.status, reply.json().error]).toMatchObject([400, { code: "40000" }]);
    expect(reply.text).toContain(why);
    expect(cloud.traces()).toEqual([[], [], []]);
  });

  test.each([
    ["fewer vectors", () => ({ body: { embeddings: { float: [] } } })],
    ["no vector", () => ({ body: { embeddings: { float: [1, 2] } } })],
    ["no list", () => ({ body: {} })],
  ])("a reply with %s has failed, and is free", async (_, broken) => {
    cloud.answer = broken;
    const reply = await cloud.embed("cohere", { input: ["a", "b"] });
    expect([reply.status, reply.text.includes('"code":"50001"')]).toEqual([500, true]);
    expect(cloud.scenario.memory.events[0]).toMatchObject({ calls: 0, cost_points: "0" });
  });

  test("a refusal of one text is the call's, which is free and sends no further request", async () => {
    cloud.answer = ({ inputText, ...rest }) =>
      inputText === "bad"
        ? {
            ...{ status: 400, body: { message: "Malformed input request: too long" } },
            headers: { "x-amzn-errortype": "ValidationException" },
          }
        : titan({ inputText, ...rest });
    const reply = await cloud.embed("titan", {
      input: ["a", "bad", ...Array.from({ length: 98 }, () => "c")],
    });
    expect([reply.status, reply.json().error]).toMatchObject([400, { type: "invalid_request_error" }]);
    expect(reply.text).toContain("too long");
    expect(cloud.sent().length).toBeLessThan(50);
    expect(cloud.scenario.memory.events).toMatchObject([{ calls: 0, cost_points: "0" }]);
  });

  test("a throttled text is a limit of ours", async () => {
    cloud.answer = () => ({
      ...{ status: 429, body: { message: "Too many requests" } },
      headers: { "x-amzn-errortype": "ThrottlingException" },
    });
    const reply = await cloud.embed("titan", { input: "a" });
    expect(reply.status).toBe(500);
    expect(reply.text).toContain("no limit of your own");
  });
});
