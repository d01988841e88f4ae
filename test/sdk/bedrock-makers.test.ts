/** AWS's own SDK as a client of the demo provider's vectors and pictures: it speaks the forms of the models' makers. */
import {
  BedrockRuntimeClient,
  InvokeModelCommand,
  ValidationException,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import type { Listening } from "#infra/local/emulators/listen.ts";

let demo: Listening;
beforeAll(async () => (demo = await startDemoProvider({ streamScale: 0, strict: true })));
afterAll(() => demo.stop());

async function invoke(modelId: string, body: object): Promise<unknown> {
  const client = new BedrockRuntimeClient({
    region: "us-west-2",
    endpoint: `${demo.url}/bedrock-invoke/openai`,
    credentials: { accessKeyId: "AKIA", secretAccessKey: "secret" },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  });
  const answer = await client.send(new InvokeModelCommand({ modelId, body: JSON.stringify(body) }));
  return JSON.parse(answer.body.transformToString());
}

const vector = (length: number) => ({ length, 0: expect.any(Number) });

const nova = (value: string, more = {}) => ({
  schemaVersion: "nova-multimodal-embed-v1",
  taskType: "SINGLE_EMBEDDING",
  singleEmbeddingParams: {
    ...{ embeddingPurpose: "GENERIC_INDEX", text: { truncationMode: "END", value } },
    ...more,
  },
});

/** The examples of the makers' documentation, with what of the answer they name. */
const taken: [what: string, model: string, body: object, answer: object][] = [
  [
    "Titan's vector, with its tokens",
    "amazon.titan-embed-text-v2:0",
    { inputText: "What are the different services that you offer?", dimensions: 512, normalize: true },
    { embedding: vector(512), inputTextTokenCount: expect.any(Number) },
  ],
  [
    "Titan's vector by type",
    "amazon.titan-embed-text-v2:0",
    { inputText: "hello", embeddingTypes: ["float"] },
    { embedding: vector(1024), embeddingsByType: { float: vector(1024) } },
  ],
  [
    "Nova's vector",
    "amazon.nova-2-multimodal-embeddings-v1:0",
    nova("hello", { embeddingDimension: 384 }),
    { embeddings: [{ embeddingType: "TEXT", embedding: vector(384) }] },
  ],
  [
    "Cohere's vectors of version 3",
    "cohere.embed-english-v3",
    { texts: ["hello", "world"], input_type: "search_document" },
    {
      response_type: "embeddings_floats",
      embeddings: [vector(1024), vector(1024)],
      texts: ["hello", "world"],
    },
  ],
  [
    "Cohere's vectors of version 4 by type, at a global profile",
    "global.cohere.embed-v4:0",
    { texts: ["hello"], input_type: "search_query", embedding_types: ["float"], output_dimension: 256 },
    { response_type: "embeddings_by_type", embeddings: { float: [vector(256)] } },
  ],
  [
    "Stability's picture",
    "stability.stable-image-core-v1:1",
    { prompt: "A car made out of vegetables.", aspect_ratio: "16:9", output_format: "png" },
    { seeds: [expect.any(Number)], finish_reasons: [null], images: [expect.any(String)] },
  ],
];

test.each(taken)("%s", async (_, model, body, answer) => {
  expect(await invoke(model, body)).toMatchObject(answer);
});

describe("what the makers do not take is refused:", () => {
  test.each([
    ["a strange member", "amazon.titan-embed-text-v2:0", { inputText: "a", input: "a" }],
    ["several texts of Titan", "amazon.titan-embed-text-v2:0", { inputText: ["a", "b"] }],
    ["another size", "amazon.titan-embed-text-v2:0", { inputText: "a", dimensions: 100 }],
    ["no input type", "cohere.embed-english-v3", { texts: ["a"] }],
    [
      "a size of version 3",
      "cohere.embed-english-v3",
      { texts: ["a"], input_type: "clustering", output_dimension: 256 },
    ],
    [
      "too many texts",
      "cohere.embed-v4:0",
      { texts: Array.from({ length: 97 }, () => "a"), input_type: "clustering" },
    ],
    ["no truncation mode", "amazon.nova-2-multimodal-embeddings-v1:0", nova("a", { text: { value: "a" } })],
    ["a shape", "stability.sd3-5-large-v1:0", { prompt: "a", aspect_ratio: "7:4" }],
    ["OpenAI's size", "stability.stable-image-ultra-v1:1", { prompt: "a", size: "1024x1024" }],
  ])("%s", async (_, model, body) => {
    const refusal = await invoke(model, body).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ValidationException);
    expect(String(refusal)).toContain("Malformed input request");
  });
});
