/**
 * Mutated bodies on every route that reaches a provider and across every pair of protocols, seeded. No failure is
 * ever ours, the error has the style of the route, and nothing stays held. An unhandled rejection fails the run.
 */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { type ErrorStyle, type ProtocolName, routes } from "#shared/base/http/routes.ts";
import { richRequests } from "#test/shared/calls/gateway/requests.ts";
import { speechAt, streamAnswers, streamEnd, wholeAnswers } from "#test/support/answers.ts";
import { type Answer, call } from "#test/support/call.ts";
import { crossedCatalog, modelOf, pathOf, speeches, streamed, useCrossed } from "#test/support/crossed.ts";
import { expectStyle } from "#test/support/error-shape.ts";
import { mutated } from "#test/support/mutation.ts";
import { withMultimodal } from "#test/support/surfaces.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed((url) => withMultimodal(crossedCatalog(url), url));
const providing = routes.filter((route) => "protocol" in route);

/** What a provider of anything but chat answers: vectors, pictures and counts at once. */
const plain = {
  data: [{ index: 0, embedding: [1, 2], url: "https://media.example/a.png" }],
  embedding: { values: [1, 2] },
  embeddings: [{ values: [1, 2] }],
  usage: { prompt_tokens: 3 },
  input_tokens: 3,
  totalTokens: 3,
};

beforeEach(() => {
  // Hardly a mutated body is one that a vendor would take.
  crossed.upstream.takesAll();
  crossed.upstream.on((request, response) => {
    const speech = speechAt(request.url ?? "");
    if (speech && request.headers.accept === "text/event-stream") {
      return streamed(speech, streamAnswers[speech], streamEnd[speech])(request, response);
    }
    const body = speech ? wholeAnswers[speech] : plain;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
});

/** Sends a body and checks the law of a call whose provider behaves. Gives the status. */
async function send(
  path: string,
  style: ErrorStyle,
  body: Buffer | object,
  type = "application/json",
): Promise<number> {
  crossed.forget();
  const headers = { ...crossed.headers, "content-type": type };
  const reply = await call(crossed.serve, path, { headers, body });
  expectOurs(reply, style, Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body));
  return reply.status;
}

function expectOurs({ status, text }: Answer, style: ErrorStyle, sent: string): void {
  const { holds, settled, logs } = crossed.memory;
  const told = `${status} ${text.slice(0, 300)} to ${sent}`;
  expect(status, told).toBeLessThan(500);
  expect(logs.filter(({ event }) => event === "internal")).toEqual([]);
  expect(settled.length, told).toBe(holds.length);
  if (status === 200) return;
  expectStyle(style, JSON.parse(text));
  for (const { settlement } of settled) expect(settlement).toMatchObject({ giveBack: true, points: 0n });
}

const words = { parts: [{ text: "a" }] };
const streaming = { stream: true, stream_options: { include_usage: true } };
const both = (body: Json) =>
  [body, { ...body, ...streaming }].map((each) => ({ model: "test/model-1", ...each }));

const edit = { model: "test/image-1", prompt: "A cat", image: "https://media.example/a.png" };

/** Good bodies of each protocol. */
const grounds: Record<ProtocolName, Json[]> = {
  "openai-chat": both(richRequests.openai),
  anthropic: both(richRequests.anthropic),
  "openai-responses": both(richRequests.responses),
  "bedrock-converse": [
    {
      system: [{ text: "a" }, { cachePoint: { type: "default" } }],
      messages: [
        {
          role: "user",
          content: [{ text: "a" }, { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } }],
        },
        { role: "assistant", content: [{ toolUse: { toolUseId: "t", name: "f", input: { a: 1 } } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "t", content: [{ json: { b: 2 } }] } }] },
      ],
      inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.5, stopSequences: ["x"] },
      toolConfig: { tools: [{ toolSpec: { name: "f", inputSchema: { json: { type: "object" } } } }] },
      additionalModelRequestFields: { top_k: 3 },
    },
  ],
  "bedrock-invoke": [
    { anthropic_version: "bedrock-2023-05-31", anthropic_beta: ["a-1"], ...richRequests.anthropic },
  ],
  gemini: [richRequests.gemini],
  "anthropic-count": [{ model: "test/model-1", ...richRequests.anthropic }],
  "gemini-count": [{ contents: richRequests.gemini.contents }],
  "gemini-embedding": [{ content: words, outputDimensionality: 2 }],
  "gemini-embeddings": [{ requests: [{ model: "models/test/embedding-1", content: words }] }],
  "openai-embeddings": [
    { model: "test/embedding-1", input: ["a", "b"], encoding_format: "base64", user: "u", dimensions: 2 },
  ],
  "ark-multimodal": [
    {
      model: "test/multimodal-1",
      input: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        { type: "video_url", video_url: { url: "https://media.example/a.mp4", fps: 1 } },
      ],
      encoding_format: "base64",
    },
  ],
  "openai-images": [{ model: "test/image-1", prompt: "A cat", n: 2, size: "1024x1024", user: "u" }],
  "ark-images": [{ model: "test/image-1", prompt: "A cat", sequential_image_generation: "auto" }],
  "zhipu-images": [{ model: "test/image-1", prompt: "A cat", size: "1024x1024", user_id: "user-1" }],
  "openai-image-edits": [edit],
  "ark-image-edits": [edit],
};

/** The same as a form. */
const form = Buffer.from(
  [
    "",
    'form-data; name="model"\r\n\r\ntest/image-1\r\n',
    'form-data; name="prompt"\r\n\r\nA cat\r\n',
    'form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n--bound--\r\n',
  ].join("--bound\r\nContent-Disposition: "),
);

/** Text to put anywhere: half tokens, extremes, prototype keys, bytes that are no UTF-8. */
const fragments = [
  "1e400",
  "-0",
  '"\\ud800"',
  '{"__proto__":{"stream":1}}',
  "[".repeat(120),
  '"model":1,',
  "}",
  "\\",
  '"',
  "\r\n",
  "--bound",
].map((text) => Buffer.from(text));

/** Good bytes with a few of them replaced, anywhere. */
const damaged = (...bases: Buffer[]) =>
  fc
    .record({
      base: fc.constantFrom(...bases),
      place: fc.nat(),
      put: fc.oneof(fc.uint8Array({ maxLength: 6 }), fc.constantFrom(...fragments)),
      cut: fc.nat(6),
    })
    .map(({ base, place, put, cut }) => {
      const start = place % base.length;
      return Buffer.concat([base.subarray(0, start), put, base.subarray(start + cut)]);
    });

describe.each(providing)("$path", ({ path, protocol, style }) => {
  const bases = grounds[protocol];
  const at = (action: string) =>
    path
      .replace("{model_action}", `test/model-1:${action}`)
      .replace("{model}", protocol.startsWith("gemini-embed") ? "test/embedding-1" : "test/model-1");
  const action = fc.constantFrom(
    "generateContent",
    "streamGenerateContent?alt=sse",
    "streamGenerateContent",
    "none",
  );

  test("mutated bodies are served or refused", async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(mutated(...bases), action, async (body, asked) => {
        statuses.add(await send(at(asked), style, body as object));
      }),
      { seed: 6, numRuns: 100 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
  });

  test("damaged bytes are served or refused", async () => {
    const bytes = bases.map((body) => Buffer.from(JSON.stringify(body)));
    await fc.assert(
      fc.asyncProperty(damaged(...bytes), async (body) => {
        await send(at("generateContent"), style, body);
      }),
      { seed: 7, numRuns: 60 },
    );
  });
});

test.each(providing.filter(({ protocol }) => protocol.endsWith("edits")))(
  "$path: a damaged form is served or refused",
  async ({ path, style }) => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(damaged(form), async (body) => {
        statuses.add(await send(path, style, body, "multipart/form-data; boundary=bound"));
      }),
      { seed: 11, numRuns: 200 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
  },
);

describe.each(speeches)("a client of %s", (client) => {
  const style = client === "responses" ? "openai" : client;

  test.each(speeches)("with a provider of %s: mutated bodies are served or refused", async (provider) => {
    const model = modelOf(provider);
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(mutated(richRequests[client]), fc.boolean(), async (body, stream) => {
        const addressed = client === "gemini" ? {} : { model, stream };
        const sent = { ...addressed, ...(body as Json) };
        statuses.add(await send(pathOf(client, model, stream), style, sent));
      }),
      { seed: 8, numRuns: 200 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
  });
});
