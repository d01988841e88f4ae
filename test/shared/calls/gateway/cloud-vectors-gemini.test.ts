/** Vectors of Bedrock and Vertex AI for Gemini's clients, and those of Vertex AI for OpenAI's. */
import { describe, expect, test } from "vitest";
import { titan, useCloud, vectorOf } from "#test/support/cloud-models.ts";

const cloud = useCloud();

describe("Gemini's clients", () => {
  const contents = ["a", "bb"].map((text) => ({ parts: [{ text }] }));

  test("get vectors of Bedrock, one or several", async () => {
    cloud.answer = titan;
    const requests = contents.map((content) => ({ content, outputDimensionality: 512 }));
    const many = await cloud.send("/v1beta/models/cloud/titan:batchEmbedContents", { requests });
    const usageMetadata = { promptTokenCount: 3, totalTokenCount: 3 };
    expect(many.json()).toEqual({ embeddings: [{ values: [1, 0.5] }, { values: [2, 0.5] }], usageMetadata });
    expect(cloud.sent().map(({ body }) => body.dimensions)).toEqual([512, 512]);
    const one = await cloud.send("/v1beta/models/cloud/titan:embedContent", { content: contents[1] });
    expect(one.json()).toMatchObject({ embedding: { values: [2, 0.5] } });
    expect(cloud.scenario.memory.events.map(({ usage }) => usage.input_tokens)).toEqual([3, 2]);
  });

  test("get vectors of Vertex AI by prediction, one instance in a request", async () => {
    cloud.answer = ({ instances }) => {
      const [instance] = instances as { content: string }[];
      const statistics = { truncated: false, token_count: instance?.content.length };
      return { body: { predictions: [{ embeddings: { values: vectorOf(instance?.content), statistics } }] } };
    };
    const requests = [
      { content: contents[0], taskType: "RETRIEVAL_QUERY", outputDimensionality: 256 },
      { content: contents[1], embed_content_config: { task_type: "CLUSTERING", auto_truncate: false } },
    ];
    const reply = await cloud.send("/v1beta/models/cloud/gecko:batchEmbedContents", { requests });
    expect(reply.json()).toEqual({
      embeddings: [{ values: [1, 0.5] }, { values: [2, 0.5] }],
      usageMetadata: { promptTokenCount: 3 },
    });
    const path = "/p/publishers/google/models/gemini-embedding-001:predict";
    expect(cloud.sent()).toEqual([
      {
        path,
        body: {
          instances: [{ content: "a", task_type: "RETRIEVAL_QUERY" }],
          parameters: { outputDimensionality: 256 },
        },
      },
      {
        path,
        body: {
          instances: [{ content: "bb", task_type: "CLUSTERING" }],
          parameters: { autoTruncate: false },
        },
      },
    ]);
    expect(cloud.scenario.memory.events[0]).toMatchObject({
      evidence: "reported",
      usage: { input_tokens: 3 },
    });
  });

  test("get vectors of Vertex AI's newer models, whose options stand in a member of their own", async () => {
    cloud.answer = ({ content }) => ({
      body: {
        embedding: { values: vectorOf((content as { parts: { text: string }[] }).parts[0]?.text) },
        usageMetadata: { promptTokenCount: 4 },
      },
    });
    const asked = { content: contents[1], outputDimensionality: 768, labels: { a: "b" } };
    const reply = await cloud.send("/v1beta/models/cloud/gemini:embedContent", asked);
    expect(reply.json()).toEqual({
      embedding: { values: [2, 0.5] },
      usageMetadata: { promptTokenCount: 4 },
    });
    expect(reply.headers["x-gateway-dropped"]).toBe("labels");
    expect(cloud.sent()).toEqual([
      {
        path: "/p/publishers/google/models/gemini-embedding-2:embedContent",
        body: { content: contents[1], embedContentConfig: { outputDimensionality: 768 } },
      },
    ]);
  });

  test("and OpenAI's clients get them too", async () => {
    cloud.answer = ({ content }) => ({
      body: {
        embedding: { values: vectorOf((content as { parts: { text: string }[] }).parts[0]?.text) },
        usageMetadata: { promptTokenCount: 4 },
      },
    });
    const reply = await cloud.embed("gemini", { input: ["a", "bb"] });
    expect(reply.json()).toMatchObject({
      data: [{ embedding: vectorOf("a") }, { embedding: vectorOf("bb") }],
      usage: { prompt_tokens: 8 },
    });
  });

  test("send texts alone where a model takes no more, and nothing is consumed", async () => {
    const picture = { parts: [{ inlineData: { mimeType: "image/png", data: "AA" } }] };
    for (const model of ["gecko", "titan"]) {
      const reply = await cloud.send(`/v1beta/models/cloud/${model}:embedContent`, { content: picture });
      expect(reply.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
    }
    expect(cloud.traces()).toEqual([[], [], []]);
  });
});
