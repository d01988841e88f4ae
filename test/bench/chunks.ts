/** What one streamed chunk costs the gateway's process: passed through, and on each crossing. */

import type { ProtocolName } from "#shared/base/http/routes.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import type { ExchangedCall } from "#shared/calls/exchange/call.ts";
import { createExchange } from "#shared/calls/exchange/exchange.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { streamingOf } from "#test/support/streaming.ts";
import { chunksPerStream, vendorStreams } from "./vendor-answers.ts";

type Name = keyof typeof vendorStreams;
const names = Object.keys(vendorStreams) as Name[];

const runs = 60;

/** The least each client sends. */
const requests: Record<Name, object> = {
  "openai-chat": { model: "m", messages: [{ role: "user", content: "Hello" }] },
  "openai-responses": { model: "m", input: "Hello" },
  anthropic: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
};

/** Relays one whole stream of `provider` to a client of `client`, one read a frame. */
async function relayOnce(client: Name, provider: Name, reads: Buffer[]): Promise<void> {
  const upstream = protocols[provider as ProtocolName];
  const call = { ...plainCall, stream: true };
  const exchanged = {
    protocol: protocols[client as ProtocolName],
    body: readJsonObject(Buffer.from(JSON.stringify(requests[client]))),
    call,
    model: { id: "test/model", output_tokens: 8_192, context_tokens: 100_000 },
    size: { text_bytes: 100, pictures: 0, files: 0 },
    request: { id: `req_${"0".repeat(26)}`, received_at: 0 },
  } as unknown as ExchangedCall;
  const target = {
    secret: "KEY",
    provider: "test",
    model: "m",
    output_tokens: 8_192,
    fits: false,
    traits: {},
  };
  const stream = streamingOf(upstream.name);
  const exchange = await createExchange(exchanged, { protocol: upstream }, target, { now: Date.now });
  const relay = exchange.createRelay(stream, stream.createReader(call), undefined);
  for (const read of reads) relay.push(read);
  relay.finish(relay.held());
}

/** Microseconds of CPU a chunk, the median of several rounds; compiled code only. */
async function cost(client: Name, provider: Name): Promise<number> {
  const reads = vendorStreams[provider].map((text) => Buffer.from(text));
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    for (let run = 0; run < runs; run++) await relayOnce(client, provider, reads);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / (runs * chunksPerStream));
  }
  return rounds.toSorted((a, b) => a - b)[2] ?? Number.NaN;
}

/** Prints the table: a row a provider's protocol, a column a client's. */
export async function showChunkCosts(): Promise<void> {
  console.log(
    "\nCPU of the gateway a streamed chunk, µs (rows: the provider speaks; columns: the client speaks)",
  );
  console.log("".padEnd(20) + names.map((name) => name.padStart(18)).join(""));
  for (const provider of names) {
    const cells: string[] = [];
    for (const client of names) {
      const passed = client === provider ? " (passed)" : "";
      cells.push(`${(await cost(client, provider)).toFixed(1)}${passed}`);
    }
    console.log(provider.padEnd(20) + cells.map((cell) => cell.padStart(18)).join(""));
  }
}
