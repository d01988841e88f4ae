/**
 * OpenAI's and Google's SDKs get vectors and pictures of Bedrock and Vertex AI, as the demo provider plays them. Each call
 * must cost what plain fractions say of the provider's own counts, to the last digit.
 */
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decimal, type Fraction, fraction, minus, times } from "#test/reference/fraction.ts";
import { balanceOf, type LocalGateway, startLocal } from "#test/support/local.ts";
import { testCatalog } from "#test/support/memory.ts";
import { expectCleanAudit } from "#test/support/money.ts";

/** A model, with its price for a million tokens or for a picture, and the size of its vectors. */
interface CloudModel {
  id: string;
  provider: "bedrock" | "vertex";
  name: string;
  price: string;
  size: number;
}

const vectors: CloudModel[] = [
  { id: "titan", provider: "bedrock", name: "amazon.titan-embed-text-v2:0", price: "0.023457", size: 1024 },
  {
    id: "nova",
    provider: "bedrock",
    name: "amazon.nova-2-multimodal-embeddings-v1:0",
    price: "0.135",
    size: 3072,
  },
  {
    id: "cohere-v3",
    provider: "bedrock",
    name: "cohere.embed-multilingual-v3",
    price: "0.100003",
    size: 1024,
  },
  { id: "cohere-v4", provider: "bedrock", name: "global.cohere.embed-v4:0", price: "0.12", size: 1536 },
  { id: "gecko", provider: "vertex", name: "gemini-embedding-001", price: "0.150001", size: 3072 },
  { id: "gemini", provider: "vertex", name: "gemini-embedding-2", price: "0.2", size: 3072 },
];
const picture: CloudModel = {
  ...{
    id: "picture",
    provider: "bedrock",
    name: "stability.stable-image-core-v1:1",
    price: "0.040007",
    size: 0,
  },
};
const discount_rate = "0.937";

let gateway: LocalGateway;
beforeAll(async () => {
  const base = testCatalog("https://test.example") as {
    providers: object;
    models: object[];
    plans: { free: object };
  };
  const providers = {
    ...base.providers,
    bedrock: {
      ...{ auth: "aws_role", host: "bedrock" },
      protocols: { openai: "https://bedrock-runtime.us-west-2.amazonaws.com" },
    },
    vertex: {
      ...{ auth: "google", secret: "GOOGLE_CREDENTIALS", host: "vertex" },
      protocols: { gemini: "https://aiplatform.googleapis.com/v1/projects/p/locations/us-central1" },
    },
  };
  const about = { created: 1_760_000_000, owned_by: "test", discount_rate };
  const modelOf = ({ id, provider, name }: CloudModel, rest: object) => ({
    ...{ id: `cloud/${id}`, display_name: id, ...about, ...rest },
    channels: [{ provider, model: name }],
  });
  const tokens = (price: string) => ({
    ...{ mode: "flat_tokens", input: price, output: "0", cache_read: price, cache_write: price },
  });
  const models = [
    ...base.models,
    ...vectors.map((model) =>
      modelOf(model, { capabilities: ["embeddings"], context_tokens: 8_192, price: tokens(model.price) }),
    ),
    modelOf(picture, { capabilities: ["images"], price: { mode: "per_image", unit_price: picture.price } }),
  ];
  const { free } = base.plans;
  gateway = await startLocal({
    catalog: { ...base, providers, models, plans: { free, lite: free, pro: free } },
    args: ["--strict"],
  });
});
afterAll(() => gateway?.stop());

const openai = () => new OpenAI({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const gemini = () =>
  new GoogleGenAI({ apiKey: gateway.keys.payg, httpOptions: { baseUrl: gateway.url } }).models;

/** What a call takes from the balance. */
async function costOf<Answer>(call: () => Promise<Answer>): Promise<{ answer: Answer; cost: string }> {
  const before = fraction(await balanceOf(gateway, gateway.keys.payg));
  const answer = await call();
  const after = fraction(await balanceOf(gateway, gateway.keys.payg));
  return { answer, cost: decimal(minus(before, after)) };
}

const priced = (price: string, count: Fraction) =>
  decimal(times(fraction(price), count, fraction(discount_rate)));
/** The demo provider's tokens of what a request tells it: four bytes of its JSON each. */
const tokensOf = (told: unknown) => Math.ceil(Buffer.byteLength(JSON.stringify(told)) / 4);
const millionths = (count: number): Fraction => ({ top: BigInt(count), bottom: 1_000_000n });

const texts = ["ping", "Grüße aus Köln", "the same", "the same"];

/** What one request of each maker counts. Cohere's request brings all of the texts, and Gemini's newer one parts. */
function countedFor({ id }: CloudModel): number {
  if (id.startsWith("cohere")) return tokensOf(texts);
  const each = texts.map((text) => (id === "gemini" ? tokensOf([{ text }]) : tokensOf(text)));
  return each.reduce((total, count) => total + count, 0);
}

describe.each(vectors)("$id", (model) => {
  const counted = countedFor(model);
  const cost = priced(model.price, millionths(counted));

  test("gives OpenAI's SDK its vectors, at the sum of its own counts", async () => {
    const asked = { model: `cloud/${model.id}`, input: texts };
    const { answer, cost: taken } = await costOf(() => openai().embeddings.create(asked));
    expect(answer.usage).toMatchObject({ prompt_tokens: counted, total_tokens: counted });
    expect(answer.data.map(({ embedding, index }) => [index, embedding.length])).toEqual(
      texts.map((_, index) => [index, model.size]),
    );
    const [first, second, third, fourth] = answer.data.map(({ embedding }) => embedding);
    expect(third).toEqual(fourth);
    expect(first).not.toEqual(second);
    expect(taken).toBe(cost);
  });

  test("gives Google's SDK the same ones at the same cost", async () => {
    const asked = { model: `cloud/${model.id}`, contents: texts };
    const { answer, cost: taken } = await costOf(() => gemini().embedContent(asked));
    const found = (answer.embeddings ?? []).map(({ values = [] }) => values);
    expect(found.map(({ length }) => length)).toEqual(texts.map(() => model.size));
    const { data } = await openai().embeddings.create({
      ...{ model: asked.model, input: texts, encoding_format: "float" },
    });
    expect(found).toEqual(data.map(({ embedding }) => embedding));
    expect(taken).toBe(cost);
  });

  test("has no other size, and that costs nothing", async () => {
    if (model.provider === "vertex") return;
    const asked = { model: `cloud/${model.id}`, input: "ping", dimensions: 77 };
    const { answer, cost: taken } = await costOf(() =>
      openai()
        .embeddings.create(asked)
        .catch((error: unknown) => error),
    );
    expect(answer).toBeInstanceOf(OpenAI.BadRequestError);
    expect(String(answer)).toContain("dimensions");
    expect(taken).toBe("0");
  });
});

test("a picture of Stability's reaches OpenAI's SDK, and each of several is charged", async () => {
  const asked = { model: "cloud/picture", prompt: "A car made out of vegetables.", n: 3 };
  const { answer, cost } = await costOf(() => openai().images.generate({ ...asked, size: "1024x1024" }));
  expect(
    answer.data?.map(({ b64_json = "" }) => Buffer.from(b64_json, "base64").toString("latin1", 1, 4)),
  ).toEqual(["PNG", "PNG", "PNG"]);
  expect(cost).toBe(priced(picture.price, fraction(3)));
});

test("a picture that the filter keeps back costs nothing", async () => {
  const asked = { model: "cloud/picture", prompt: "Something [filtered]" };
  const { answer, cost } = await costOf(() =>
    openai()
      .images.generate(asked)
      .catch((error: unknown) => error),
  );
  expect(answer).toBeInstanceOf(OpenAI.BadRequestError);
  expect((answer as { code?: string }).code).toBe("content_policy_violation");
  expect(cost).toBe("0");
});

test("every call is booked, and the books balance", async () => {
  await expectCleanAudit(gateway);
});
