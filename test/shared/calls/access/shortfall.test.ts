/** The message of a call that costs more than there is: the hold, the balance, and what would make it fit, exactly. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeForm } from "#shared/base/http/form.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { Model } from "#shared/books/catalog/catalog.ts";
import { call } from "#test/support/call.ts";
import { useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
type Json = Record<string, unknown>;

const messages = [{ role: "user", content: "Hello" }];
const gemini = "/api/v1beta/models/test/model-1:generateContent";
const contents = [{ role: "user", parts: [{ text: "Hello" }] }];

/** A request with so many tokens or pictures at most, of every kind that has such a field; none where it is null. */
const kinds: [name: string, path: string, body: (most: number | null) => Json][] = [
  [
    "chat",
    "/v1/chat/completions",
    (max_tokens) => ({ model: "test/model-1", messages, ...(max_tokens && { max_tokens }) }),
  ],
  [
    "chat of three answers",
    "/v1/chat/completions",
    (max_completion_tokens) => ({ model: "test/model-1", messages, n: 3, max_completion_tokens }),
  ],
  [
    "a strict stream",
    "/v1/chat/completions",
    (max_tokens) => ({ model: "test/model-1", messages, stream: true, max_tokens }),
  ],
  [
    "messages",
    "/v1/messages",
    (max_tokens) => ({ model: "test/model-1", messages, max_tokens: max_tokens ?? 8192 }),
  ],
  [
    "responses",
    "/v1/responses",
    (max_output_tokens) => ({
      model: "test/model-1",
      input: "Hello",
      ...(max_output_tokens && { max_output_tokens }),
    }),
  ],
  [
    "Gemini",
    gemini,
    (maxOutputTokens) => ({ contents, ...(maxOutputTokens && { generationConfig: { maxOutputTokens } }) }),
  ],
];

/** Refuses the next call for lack of money. */
const lacking = (free: bigint, posted?: bigint) => {
  scenario.memory.admission = {
    admitted: false,
    error: "insufficient_balance",
    lack: { free, ...(posted !== undefined && { posted }) },
    ...(posted === undefined && { message: "The key's budget does not cover the call." }),
    limitStatus: {},
  };
};
const send = (path: string, body: Json) => call(scenario.serve, path, { headers: scenario.bearer(), body });

/** What a call of this body holds. */
async function heldFor(path: string, body: Json): Promise<bigint> {
  const { holds } = scenario.memory;
  scenario.memory.admission = { admitted: true, limitStatus: {} };
  holds.length = 0;
  await send(path, body);
  return holds[0]?.points ?? -1n;
}

async function toldOf(path: string, body: Json): Promise<string> {
  const reply = await send(path, body);
  expect(reply.status).toBe(402);
  return (reply.json().error as { message: string }).message;
}

const suggested = (message: string) => Number(/ of at most (\d+)/.exec(message)?.[1]);
const makeStrict = () =>
  Object.assign(scenario.memory.deps.catalog.find("test/model-1") as Model, { strict: true });

describe("the maximum that is suggested fits, and one more does not", () => {
  test.each(kinds)("%s", async (name, path, body) => {
    if (name === "a strict stream") makeStrict();
    const [least, most] = [await heldFor(path, body(16)), await heldFor(path, body(4_000))];
    await fc.assert(
      fc.asyncProperty(fc.bigInt(least, most - 1n), async (free) => {
        lacking(free, free);
        const limit = suggested(await toldOf(path, body(4_000)));
        expect(await heldFor(path, body(limit))).toBeLessThanOrEqual(free);
        expect(await heldFor(path, body(limit + 1))).toBeGreaterThan(free);
      }),
      { numRuns: 15 },
    );
  });

  test.each(kinds)("where the field has to be added, %s fits with it", async (name, path, body) => {
    if (name === "a strict stream") makeStrict();
    const free = (await heldFor(path, body(2_000))) + 17n;
    lacking(free, free);
    const limit = suggested(await toldOf(path, body(null)));
    expect(limit).toBeGreaterThan(1_500);
    expect(await heldFor(path, body(limit))).toBeLessThanOrEqual(free);
  });

  test("nothing is suggested where even the input does not fit", async () => {
    lacking(1n, 1n);
    const message = await toldOf("/v1/messages", { model: "test/model-1", messages, max_tokens: 10 });
    expect(message).not.toContain("at most");
    expect(message).toContain("points more");
  });
});

describe("pictures", () => {
  const path = "/v1/images/generations";
  const body = (change: Json) => ({ model: "test/image-1", prompt: "A cat", ...change });
  const one = parsePoints("0.19");

  test("n, by its price", async () => {
    lacking(3n * one, 3n * one);
    expect(await toldOf(path, body({ n: 5 }))).toContain(
      "The call fits with `n` of at most 3, or with 0.38 points more.",
    );
    lacking(one - 1n, one - 1n);
    expect(await toldOf(path, body({ n: 5 }))).not.toContain("at most");
  });

  test("of a series its length", async () => {
    lacking(4n * one, 4n * one);
    const series = {
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 6 },
    };
    expect(await toldOf(path, body(series))).toContain(
      "`sequential_image_generation_options.max_images` of at most 4,",
    );
  });
});

test("n of a form is the n that stands in it, whatever a series makes of it", async () => {
  const one = parsePoints("0.19");
  const told = async (fields: Record<string, string>): Promise<string> => {
    lacking(3n * one, 3n * one);
    const png = { name: "a.png", type: "image/png" };
    const parts = Object.entries({ model: "test/image-1", prompt: "A cat", ...fields });
    const form = writeForm([
      ...parts.map(([key, text]) => ({ key, content: Buffer.from(text) })),
      { key: "image", content: Buffer.from("89504e47", "hex"), file: png },
    ]);
    const headers = { ...scenario.bearer(), "content-type": form.content_type };
    return (await call(scenario.serve, "/v1/images/edits", { headers, body: Buffer.concat(form.body) })).text;
  };
  expect(await told({ n: "5" })).toContain("`n` of at most 3,");
  expect(await told({ sequential_image_generation: "auto" })).toMatch(/fits with 2\.28 points more/);
});

describe("what is said", () => {
  const path = "/v1/messages";
  const body = { model: "test/model-1", messages, max_tokens: 100 };

  test("the hold, the balance and how many points more", async () => {
    const held = await heldFor(path, body);
    lacking(held - parsePoints("0.0001"), held - parsePoints("0.0001"));
    expect(await toldOf(path, body)).toBe(
      `The balance does not cover this call, which may cost up to ${formatPoints(held)} points: so much is held until it ends. ` +
        `The balance is ${formatPoints(held - parsePoints("0.0001"))} points. ` +
        "The call fits with `max_tokens` of at most 90, or with 0.0001 points more.",
    );
  });

  test("what calls in flight hold of the balance", async () => {
    lacking(parsePoints("0.0005"), parsePoints("5"));
    expect(await toldOf(path, body)).toContain(
      "The balance is 5 points, of which 4.9995 are held by calls in flight: try again when they have ended.",
    );
  });

  test("of a budget that binds its own remainder, and nothing of the balance", async () => {
    lacking(parsePoints("0.0009"));
    const message = await toldOf(path, body);
    expect(message).toMatch(
      /^The key's budget does not cover the call\. It fits with `max_tokens` of at most \d+\.$/,
    );
  });

  test("in every style", async () => {
    for (const [, place, request] of kinds) {
      lacking(1n, 1n);
      expect(await toldOf(place, request(50))).toMatch(
        /^The balance does not cover this call, which may cost/,
      );
    }
  });
});

test("where reasoning goes beyond max_tokens the other field is named", async () => {
  const model = scenario.memory.deps.catalog.find("test/model-1") as Model;
  Object.assign(model, { capabilities: [...model.capabilities, "reasoning"] });
  Object.assign(scenario.memory.deps.catalog.provider("test")?.protocols ?? {}, {
    ark: scenario.upstream.url,
  });
  const path = "/v1/chat/completions";
  const body = (change: Json) => ({ model: "test/model-1", messages, ...change });
  const free = await heldFor(path, body({ max_completion_tokens: 1_000 }));
  lacking(free, free);
  const message = await toldOf(path, body({ max_tokens: 10 }));
  expect(message).toContain(" in place of `max_tokens`");
  const limit = suggested(message);
  expect(limit).toBeGreaterThan(900);
  expect(await heldFor(path, body({ max_completion_tokens: limit }))).toBeLessThanOrEqual(free);
});
