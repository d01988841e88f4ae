/**
 * The vendors' SDKs with nothing changed but the base URL. They embed, list models, ask for Responses and stream
 * pictures below Ark's and Zhipu's base URLs too, and embed with models of every provider.
 */
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { embedMany, generateImage } from "ai";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createZhipu } from "zhipu-ai-provider";
import { streamAnswers, wholeAnswers } from "#test/support/answers.ts";
import { framesOf } from "#test/support/crossed.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { expectCleanAudit, providerKey } from "#test/support/money.ts";
import { frame, namedFrame, sse } from "#test/support/scenario.ts";
import { surfacesCatalog } from "#test/support/surfaces.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

globalThis.AI_SDK_LOG_WARNINGS = false;

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: surfacesCatalog(upstream.url), env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

/** Numbers that base64 of float32 carries exactly. */
const vectors = [
  [0.5, -0.25],
  [1, 0.125],
];
const picture = Buffer.from("iVBORw0KGgo=", "base64");
const b64_json = picture.toString("base64");
const events = {
  "/v1/images/generations": [
    namedFrame({ type: "image_generation.partial_image", b64_json, partial_image_index: 0 } as never),
    namedFrame({ type: "image_generation.completed", b64_json, usage: { total_tokens: 9 } } as never),
  ],
  "/v1/images/edits": [namedFrame({ type: "image_edit.completed", b64_json, usage: {} } as never)],
  "/ark/images/generations": [
    namedFrame({
      type: "image_generation.partial_succeeded",
      image_index: 0,
      url: "https://x.example",
    } as never),
    namedFrame({ type: "image_generation.completed", usage: { generated_images: 1 } } as never),
    frame("[DONE]"),
  ],
} as Record<string, string[]>;

/** What each vendor answers below its own base URL. */
function answerTo(path: string, body: string): object | string {
  const streams = body.includes('"stream":true') || /name="stream"\s+true/.test(body);
  if (path.endsWith(":batchEmbedContents")) return { embeddings: vectors.map((values) => ({ values })) };
  if (path.endsWith("/embeddings")) {
    const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
    return { object: "list", model: "m", data, usage: { prompt_tokens: 4, total_tokens: 4 } };
  }
  if (path.endsWith(":generateContent")) return wholeAnswers.gemini;
  if (path.endsWith("/responses"))
    return streams ? framesOf("responses", streamAnswers.responses).join("") : wholeAnswers.responses;
  if (streams) return events[path]?.join("") ?? {};
  return { created: 1, data: [{ url: `${upstream.url}/picture.png` }] };
}

beforeEach(() => {
  upstream.reset();
  upstream.on((request, response) => {
    const path = request.url ?? "";
    if (path === "/picture.png") return response.writeHead(200, { "content-type": "image/png" }).end(picture);
    const answer = answerTo(path, upstream.requests.at(-1)?.body.toString("latin1") ?? "");
    if (typeof answer === "string") response.writeHead(200, sse).end(answer);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
});

const at = (base: string) => ({ apiKey: gateway.keys.payg, baseURL: gateway.url + base });
const providers = ["openai", "gemini", "ark", "zhipu"];
const sdks = { "openai 7": OpenAI, "openai 6": OpenAI6 as unknown as typeof OpenAI };
const bases = Object.entries(sdks).flatMap(([name, Sdk]) =>
  ["/v1", "/api/v3", "/api/paas/v4"].map((base) => [name, base, Sdk] as const),
);

describe.each(bases)("%s at %s", (_, base, Sdk) => {
  const client = () => new Sdk({ ...at(base), maxRetries: 0 });

  test.each(providers)("embeds with a model of %s", async (provider) => {
    const { data, usage } = await client().embeddings.create({
      model: `${provider}/embedding`,
      input: ["a", "b"],
    });
    expect(data.map(({ embedding }) => embedding)).toEqual(vectors);
    expect(usage.prompt_tokens).toBeGreaterThan(0);
  });

  test("lists the models and fetches one", async () => {
    const listed = (await Array.fromAsync(client().models.list())).map(({ id }) => id);
    expect(listed).toContain("ark/embedding");
    expect((await client().models.retrieve("ark/embedding")).id).toBe("ark/embedding");
  });

  test("throws the class of a status for a model that there is not, and for one that does not embed", async () => {
    const { models, embeddings } = client();
    await expect(models.retrieve("none")).rejects.toBeInstanceOf(Sdk.NotFoundError);
    const wrong = embeddings.create({ model: "ark/image", input: "a" });
    await expect(wrong).rejects.toBeInstanceOf(Sdk.BadRequestError);
  });
});

describe.each(Object.entries(sdks))("%s", (_, Sdk) => {
  const client = (base: string) => new Sdk({ ...at(base), maxRetries: 0 });
  const typesOf = async (stream: AsyncIterable<{ type: string }>) =>
    (await Array.fromAsync(stream)).map(({ type }) => type);

  test("asks for Responses at Ark's base URL, whole and streamed", async () => {
    const { responses } = client("/api/v3");
    const asked = { model: "test/model-1", input: "Hi", store: false };
    expect((await responses.create(asked)).output_text).not.toBe("");
    const types = await typesOf(await responses.create({ ...asked, stream: true }));
    expect([types[0], types.at(-1)]).toEqual(["response.created", "response.completed"]);
  });

  test("streams pictures of OpenAI's, and edits", async () => {
    const { images } = client("/v1");
    const asked = { model: "openai/image", prompt: "A cat" };
    const made = await Array.fromAsync(await images.generate({ ...asked, stream: true, partial_images: 1 }));
    expect(made.map(({ type }) => type)).toEqual([
      "image_generation.partial_image",
      "image_generation.completed",
    ]);
    expect(made.at(-1)?.b64_json).toBe(b64_json);
    const image = await Sdk.toFile(picture, "a.png", { type: "image/png" });
    expect(await typesOf(await images.edit({ ...asked, image, stream: true }))).toEqual([
      "image_edit.completed",
    ]);
  });

  test("streams pictures of Ark's at Ark's base URL", async () => {
    const asked = { model: "ark/image", prompt: "A cat", stream: true } as const;
    expect(await typesOf(await client("/api/v3").images.generate(asked))).toEqual([
      "image_generation.partial_succeeded",
      "image_generation.completed",
    ]);
    await expect(client("/v1").images.generate(asked)).rejects.toMatchObject({
      status: 400,
      param: "stream",
    });
  });

  test("throws where a stream of pictures breaks off", async () => {
    upstream.on((_, response) => {
      response.writeHead(200, sse);
      response.write(events["/v1/images/generations"]?.[0], () => response.destroy());
    });
    const stream = await client("/v1").images.generate({ model: "openai/image", prompt: "A", stream: true });
    await expect(Array.fromAsync(stream)).rejects.toBeInstanceOf(Sdk.APIError);
  });
});

const google = {
  "@google/genai 3": GoogleGenAI,
  "@google/genai 2": GoogleGenAI2 as unknown as typeof GoogleGenAI,
};

describe.each(Object.entries(google))("%s", (_, Sdk) => {
  test.each(providers)("embeds with a model of %s", async (provider) => {
    const client = new Sdk({ apiKey: gateway.keys.payg, httpOptions: { baseUrl: `${gateway.url}/api` } });
    const { embeddings } = await client.models.embedContent({
      model: `${provider}/embedding`,
      contents: ["a", "b"],
    });
    expect(embeddings?.map(({ values }) => values)).toEqual(vectors);
  });
});

describe("Vercel's ai", () => {
  const values = ["a", "b"];
  const embedders: Record<string, (model: string) => Parameters<typeof embedMany>[0]["model"]> = {
    "@ai-sdk/openai": (model) => createOpenAI(at("/api/v3")).embedding(model),
    "@ai-sdk/google": (model) => createGoogleGenerativeAI(at("/api/v1beta")).embedding(model),
    "zhipu-ai-provider": (model) => createZhipu(at("/api/paas/v4")).textEmbeddingModel(model),
  };
  const pairs = Object.keys(embedders).flatMap((name) =>
    providers.map((provider) => [name, provider] as const),
  );

  test.each(pairs)("with %s embeds with a model of %s", async (name, provider) => {
    const model = embedders[name]?.(`${provider}/embedding`) ?? expect.fail("no model");
    expect((await embedMany({ model, values })).embeddings).toEqual(vectors);
  });

  test.each(["zhipu/image", "openai/image"])("with zhipu-ai-provider draws with %s", async (id) => {
    const model = createZhipu(at("/api/paas/v4")).imageModel(id);
    const { image } = await generateImage({ model, prompt: "A cat", size: "1024x1024" });
    expect(Buffer.from(image.uint8Array)).toEqual(picture);
  });
});

test("every call is on the ledger", () => expectCleanAudit(gateway));

describe("what the operator has made at a provider", () => {
  const give = async (id: string) => {
    const words = ["id", "give", id, "--org", gateway.organizations.payg, "--provider", "test"];
    const { value, code, error } = await operator(gateway, ...words);
    expect([code, error]).toEqual([0, ""]);
    return String(value.id);
  };
  const sent = () => upstream.requests.map(({ body }) => JSON.parse(String(body)));

  test("is used by the organization that its id was given to, with OpenAI's SDK, and by no other", async () => {
    const file_id = await give("file_1");
    const ask = (apiKey: string) =>
      new OpenAI({ ...at("/v1"), apiKey, maxRetries: 0 }).responses.create({
        model: "test/model-1",
        input: [{ role: "user", content: [{ type: "input_file", file_id }] }],
      });
    await ask(gateway.keys.payg);
    expect(sent()).toMatchObject([{ input: [{ content: [{ file_id: "file_1" }] }] }]);
    await expect(ask(gateway.keys.manager)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    expect(sent()).toHaveLength(1);
  });

  test("is used with Google's SDK", async () => {
    const cachedContent = await give("cachedContents/1");
    const google = new GoogleGenAI({
      apiKey: gateway.keys.payg,
      httpOptions: { baseUrl: `${gateway.url}/api` },
    });
    await google.models.generateContent({ model: "test/model-1", contents: "Hi", config: { cachedContent } });
    expect(sent()).toMatchObject([{ cachedContent: "cachedContents/1" }]);
  });
});
