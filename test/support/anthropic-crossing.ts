/** The Anthropic crossing as its tests use it: goldens, streams as bytes, and a plain request. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fields } from "#shared/base/json/fields.ts";
import { createFrameSplitter, splitFrames } from "#shared/base/sse/frames.ts";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { anthropicCrossing } from "#shared/calls/protocols/anthropic/crossing/index.ts";

const root = join(import.meta.dirname, "../golden/anthropic");

export const target = { model: "claude", output_tokens: 4096 };
export const client = { model: "test/model", request: {}, hide_usage: false };

/** Goldens of the crossing that have the given companion file. */
export const names = (kind: string, companion: string) =>
  readdirSync(join(root, kind))
    .filter((file) => file.startsWith("x-") && file.endsWith(companion))
    .map((file) => file.slice(0, -companion.length));
export const bytesOf = (kind: string, file: string) => readFileSync(join(root, kind, file));
export const golden = (kind: string, file: string) => JSON.parse(bytesOf(kind, file).toString());

/** The events of a stream whose bytes came in pieces, cut at the given places. */
export function decode(bytes: Buffer, cuts: readonly number[] = []): ChatEvent[] {
  const splitter = createFrameSplitter(1 << 20);
  const decoder = anthropicCrossing.createDecoder();
  const bounds = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  const frames = bounds
    .slice(1)
    .flatMap((end, index) => splitFrames(splitter.push(bytes.subarray(bounds[index], end))));
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

/** The bytes of a stream of events. */
export function encode(events: readonly ChatEvent[]): Buffer {
  const encoder = anthropicCrossing.createEncoder(client);
  return Buffer.concat(events.flatMap((event) => encoder.push(event)));
}

/** A request of one user turn, with what a test says of it. */
export const asking = (said: Partial<ChatRequest> = {}): ChatRequest => ({
  system: [],
  messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
  tools: [],
  stop: [],
  stream: false,
  ...said,
});

/** A tool without arguments. */
export const now = { name: "now" };

/** The value as it is after its journey as JSON. */
export const wire = (value: Fields): Fields => JSON.parse(JSON.stringify(value));
