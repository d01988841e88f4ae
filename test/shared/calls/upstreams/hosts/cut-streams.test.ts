/** What calls of the clouds cost whose streams are cut at any event, or that report nothing, in plain fractions. */
import type { ServerResponse } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { bill, type Counted } from "#test/reference/bill.ts";
import { type Cloud, type CloudAnswer, cloudAnswer, clouds } from "#test/reference/clouds.ts";
import { decimal } from "#test/reference/fraction.ts";
import { type ReferenceModel, referenceModels } from "#test/reference/price-list.ts";
import { call } from "#test/support/call.ts";
import { least, pathOf, type Speech, speeches } from "#test/support/crossed.ts";
import { eventOf, exceptionOf, messagesOf } from "#test/support/event-stream.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
type Json = Record<string, unknown>;
const kinds = Object.keys(clouds) as Cloud[];

/** One model of each way to price by tokens. All have rates. */
const models = [0, 4, 8].map((at) => referenceModels[at]).filter((model) => model !== undefined);
const [flat] = models;
if (!flat) throw new Error("no model");

const all: Counted = { input: 12_345, output: 678, cache_read: 901, cache_write: 234, cache_write_1h: 56 };
/** What a kind can count of it. */
const countedBy = (kind: Cloud): Counted => {
  const known: readonly (keyof Counted)[] = clouds[kind].counts;
  const none = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  return {
    ...none,
    ...Object.fromEntries(Object.entries(all).filter(([name]) => known.includes(name as never))),
  };
};

/** How a cloud ends what it says. `heard`: its client has got something of it, or never will. */
type End = (response: ServerResponse, said: Buffer, heard: Promise<void>) => void;
const ends: Record<string, End> = {
  "the connection breaks": (response, said) => {
    response.write(said, () => response.destroy());
    if (said.length === 0) response.destroy();
  },
  "the stream just ends": (response, said) => response.end(said),
};
/** Bedrock tells what went wrong once its client has heard. In one read with the output it would be a failure before it. */
const excepted: End = async (response, said, heard) => {
  if (said.length > 0) response.write(said);
  await heard;
  response.end(exceptionOf("modelStreamErrorException", "broke"));
};

let change = (answer: CloudAnswer): CloudAnswer => answer;
let pieces = 0;
let heard = Promise.withResolvers<void>();

/** A model of a kind with these prices, whose cloud says as many pieces of its answer as `cut` tells. */
function serve(
  kind: Cloud,
  { price, discount_rate }: ReferenceModel,
  end: End,
  cut = Number.POSITIVE_INFINITY,
) {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as { providers: Json; models: Json[] };
  const { protocol, host, auth } = clouds[kind];
  const secret = auth !== "aws_role" && { secret: "TEST_API_KEY" };
  catalog.providers.cloud = { protocols: { [protocol]: url }, host, auth, ...secret };
  Object.assign(catalog.models[0] ?? {}, {
    ...{ price, discount_rate, context_tokens: 1_000_000, output_tokens: 100_000 },
    channels: [{ provider: "cloud", model: "m" }],
  });
  heard = Promise.withResolvers();
  scenario.memory = createMemory(catalog);
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
  scenario.upstream.on(({ url: path = "" }, response) => {
    const body = String(scenario.upstream.requests.at(-1)?.body);
    const answer = cloudAnswer(path, body, countedBy(kind));
    if (!answer) throw new Error(`no cloud is at ${path}`);
    const said = change(answer);
    pieces = said.pieces.length;
    response.writeHead(200, { "content-type": said.type });
    response.flushHeaders();
    if (cut < told[kind].output) heard.resolve();
    end(response, Buffer.concat(said.pieces.slice(0, cut)), heard.promise);
  });
}

async function ask(client: Speech, stream: boolean): Promise<{ text: string; event: UsageEvent }> {
  const body = { ...least[client], ...(client !== "gemini" && { model: "test/model-1", stream }) };
  const path = pathOf(client, "test/model-1", stream);
  const onChunk = () => heard.resolve();
  const answer = await call(scenario.serve, path, { headers: scenario.bearer(), body, onChunk });
  const [event, ...more] = scenario.memory.events;
  expect(more).toEqual([]);
  if (!event) throw new Error("a call without an event");
  return { text: answer.text, event };
}

/** What an event's own counts cost. */
function billed({ usage }: UsageEvent, model: ReferenceModel): string {
  const { input_tokens: input, output_tokens: output, details } = usage;
  return decimal(
    bill(model, {
      ...{ input, output, cache_read: usage.cache_read_tokens, cache_write: usage.cache_write_tokens },
      cache_write_1h: details?.tokens?.cache_write_1h ?? 0,
    }),
  );
}

/**
 * Where in its stream each kind has given output, and told all that it used: after so many pieces. Google counts in each
 * piece what was used until then, so its last one counts.
 */
const told: Record<Cloud, { output: number; usage: number }> = {
  bedrock: { output: 3, usage: 5 },
  "vertex-claude": { output: 3, usage: 5 },
  converse: { output: 2, usage: 5 },
  "vertex-gemini": { output: 1, usage: 2 },
  azure: { output: 1, usage: 3 },
};

beforeEach(() => {
  change = (answer) => answer;
});

describe.each(kinds)("%s", (kind) => {
  const counted = countedBy(kind);
  const own = kind === "bedrock" || kind === "converse" ? { ...ends, "an exception comes": excepted } : ends;

  test.each(speeches)("whole and streamed to a client of %s, costs its counts", async (client) => {
    for (const model of models)
      for (const stream of [false, true]) {
        serve(kind, model, (response, said) => response.end(said));
        const { event } = await ask(client, stream);
        expect([event.outcome, event.evidence]).toEqual(["completed", "reported"]);
        expect(event.cost_points).toBe(decimal(bill(model, counted)));
        expect(event.cost_points).toBe(billed(event, model));
      }
  });

  test.each(
    speeches.flatMap((client) =>
      Object.entries(own).map(([name, end]): [Speech, string, End] => [client, name, end]),
    ),
  )("streamed to a client of %s, costs what came before %s", async (client, _, end) => {
    let before = 0;
    for (let cut = 0; cut === 0 || cut < pieces; cut++) {
      serve(kind, flat, end, cut);
      const { event } = await ask(client, true);
      const at = `${kind}, ${client}, ${cut} of ${pieces}`;
      if (cut < told[kind].output) {
        expect([event.outcome, event.cost_points, event.calls], at).toEqual(["failed", "0", 0]);
        continue;
      }
      expect(event.calls, at).toBe(1);
      expect(event.cost_points, at).toBe(billed(event, flat));
      if (cut >= told[kind].usage) {
        expect(event.evidence, at).toBe("reported");
        expect(event.cost_points, at).toBe(decimal(bill(flat, counted)));
      } else {
        expect([event.outcome, event.evidence], at).toEqual(["truncated", "estimated"]);
        expect(event.usage.output_tokens, at).toBeGreaterThan(0);
        expect(event.usage.output_tokens, at).toBeGreaterThanOrEqual(before);
        before = event.usage.output_tokens;
      }
    }
  });

  test.each(speeches)(
    "that reports nothing to a client of %s is estimated, whole and streamed",
    async (client) => {
      change = silenced;
      for (const model of models)
        for (const stream of [false, true]) {
          serve(kind, model, (response, said) => response.end(said));
          const { text, event } = await ask(client, stream);
          expect(text).toContain("Hi");
          expect([event.evidence, event.calls]).toEqual(["estimated", 1]);
          expect(event.usage.input_tokens).toBeGreaterThan(0);
          expect(event.usage.output_tokens).toBeGreaterThan(0);
          expect(event.cost_points).toBe(billed(event, model));
          expect(event.cost_points).not.toBe("0");
        }
    },
  );
});

/** An answer that tells nothing of what it used. */
function silenced({ type, pieces: said }: CloudAnswer): CloudAnswer {
  if (type === "application/json")
    return { type, pieces: said.map((json) => Buffer.from(silent(String(json)))) };
  if (type === "text/event-stream")
    return {
      type,
      pieces: said.map((frame) => Buffer.from(String(frame).replace(/(?<=^data: )\{.*/m, silent))),
    };
  return {
    type,
    pieces: said.flatMap(messagesOf).map(({ headers, payload }) => {
      const name = String(headers[":event-type"]);
      const { bytes } = JSON.parse(payload) as { bytes?: string };
      if (bytes === undefined) return eventOf(name, JSON.parse(silent(payload)) as Json);
      const event = silent(Buffer.from(bytes, "base64").toString());
      return eventOf(name, { bytes: Buffer.from(event).toString("base64") });
    }),
  };
}

function silent(json: string): string {
  return JSON.stringify(JSON.parse(json), (name, value: unknown) =>
    name === "usage" || name === "usageMetadata" ? undefined : value,
  );
}
