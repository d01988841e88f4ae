/**
 * The clouds as they serve the vendors' protocols: at paths of their own, and Bedrock in binary frames. Written from the
 * clouds' documentation, with AWS's own codec; it imports nothing of the product.
 */
import type { ServerResponse } from "node:http";
import { eventOf } from "#test/support/event-stream.ts";
import type { Counted } from "./bill.ts";
import { answerOf, counts, type Speech } from "./vendors.ts";

type Json = Record<string, unknown>;

/** Each kind of provider by the protocol and the host that a catalog names, and what it can count. */
export const clouds = {
  bedrock: { protocol: "anthropic", host: "bedrock", auth: "aws_role", counts: counts.anthropic },
  converse: {
    protocol: "converse",
    host: "bedrock",
    auth: "aws_role",
    counts: ["input", "output", "cache_read", "cache_write", "cache_write_1h", "tier"],
  },
  "vertex-gemini": { protocol: "gemini", host: "vertex", auth: "bearer", counts: counts.gemini },
  "vertex-claude": { protocol: "anthropic", host: "vertex", auth: "bearer", counts: counts.anthropic },
  azure: { protocol: "openai", host: "azure", auth: "api-key", counts: counts.openai },
} as const satisfies Record<string, { counts: readonly (keyof Counted)[] } & Record<string, unknown>>;
export type Cloud = keyof typeof clouds;

/** An answer as bytes: one piece for each event of a stream, and one of a whole answer. */
export interface CloudAnswer {
  type: string;
  pieces: Buffer[];
}

const eventStream = "application/vnd.amazon.eventstream";
const whole = (answer: Json): CloudAnswer => ({
  type: "application/json",
  pieces: [Buffer.from(JSON.stringify(answer))],
});

/** What a vendor says, in its own frames. */
function asMade(speech: Speech, counted: Counted, stream: boolean): CloudAnswer {
  const answer = answerOf(speech, counted, stream);
  if (!Array.isArray(answer)) return whole(answer);
  return { type: "text/event-stream", pieces: answer.map((frame) => Buffer.from(frame)) };
}

/** Anthropic's events as chunks of Bedrock's. */
function invoked(counted: Counted, stream: boolean): CloudAnswer {
  const answer = answerOf("anthropic", counted, stream);
  if (!Array.isArray(answer)) return whole(answer);
  const pieces = answer.map((frame) => {
    const json = frame.slice(frame.indexOf("data: ") + "data: ".length).trim();
    return eventOf("chunk", { bytes: Buffer.from(json).toString("base64"), p: "abc" });
  });
  return { type: eventStream, pieces };
}

/** The tier that a body of Converse asks for, if it is not the usual one. */
function tierAsked({ serviceTier }: Json): Partial<Counted> {
  const { type } = (serviceTier ?? {}) as { type?: string };
  return type === undefined || type === "default" ? {} : { tier: type };
}

/** Bedrock serves a call in the tier that it asks for, whatever the call counts. */
const asAsked = ({ tier: _, ...counted }: Counted, body: Json): Counted => ({
  ...counted,
  ...tierAsked(body),
});

/** Converse counts what was read from a cache and written to one beside the input (AWS, "TokenUsage"). */
function conversed(counted: Counted, stream: boolean): CloudAnswer {
  const { input, output, cache_read, cache_write, cache_write_1h = 0, tier } = counted;
  const told = {
    usage: {
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output + cache_read + cache_write,
      cacheReadInputTokens: cache_read,
      cacheWriteInputTokens: cache_write,
      cacheDetails: [
        { ttl: "1h", inputTokens: cache_write_1h },
        { ttl: "5m", inputTokens: cache_write - cache_write_1h },
      ],
    },
    metrics: { latencyMs: 9 },
    ...(tier && { serviceTier: { type: tier } }),
  };
  const message = { role: "assistant", content: [{ text: "Hi" }] };
  if (!stream) return whole({ output: { message }, stopReason: "end_turn", ...told });
  return {
    type: eventStream,
    pieces: [
      eventOf("messageStart", { role: "assistant" }),
      eventOf("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }),
      eventOf("contentBlockStop", { contentBlockIndex: 0 }),
      eventOf("messageStop", { stopReason: "end_turn" }),
      eventOf("metadata", told),
    ],
  };
}

/** Which cloud answers at a path, and how. */
const places: readonly [path: RegExp, answer: (counted: Counted, body: Json, path: string) => CloudAnswer][] =
  [
    [/\/model\/[^/]+\/invoke$/, (counted) => invoked(counted, false)],
    [/\/model\/[^/]+\/invoke-with-response-stream$/, (counted) => invoked(counted, true)],
    [/\/model\/[^/]+\/converse$/, (counted, body) => conversed(asAsked(counted, body), false)],
    [/\/model\/[^/]+\/converse-stream$/, (counted, body) => conversed(asAsked(counted, body), true)],
    [
      /\/publishers\/google\/models\/[^/]+:(?:stream)?[gG]enerateContent(?:\?alt=sse)?$/,
      (counted, _, path) => asMade("gemini", counted, path.includes(":stream")),
    ],
    [
      /\/publishers\/anthropic\/models\/[^/]+:(?:stream)?[rR]awPredict$/,
      (counted, _, path) => asMade("anthropic", counted, path.includes(":stream")),
    ],
    [
      /\/openai\/deployments\/[^/]+\/chat\/completions\?api-version=[\d-]+$/,
      (counted, body) => asMade("openai", counted, body.stream === true),
    ],
  ];

/** What the cloud of a path answers to a body; undefined where the path is none of theirs. */
export function cloudAnswer(path: string, body: string, counted: Counted): CloudAnswer | undefined {
  const [, answer] = places.find(([pattern]) => pattern.test(path)) ?? [];
  return answer?.(counted, JSON.parse(body) as Json, path);
}

/** Answers a request as the cloud of its path would. False where it is none of theirs. */
export function answerAsCloud(
  path: string,
  body: string,
  counted: Counted,
  response: ServerResponse,
): boolean {
  const answer = cloudAnswer(path, body, counted);
  if (answer) response.writeHead(200, { "content-type": answer.type }).end(Buffer.concat(answer.pieces));
  return answer !== undefined;
}
