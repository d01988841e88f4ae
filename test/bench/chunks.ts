/** What one streamed chunk costs the gateway's process: passed through, and on each crossing. */

import type { ProtocolName } from "#shared/base/http/routes.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import type { ExchangedCall } from "#shared/calls/exchange/call.ts";
import { createExchange } from "#shared/calls/exchange/exchange.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { streamingOf } from "#test/support/streaming.ts";

const names = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
type Name = (typeof names)[number];

const chunks = 100;
const runs = 60;
const word = "streamed ";

/** The least each client sends. */
const requests: Record<Name, object> = {
  "openai-chat": { model: "m", messages: [{ role: "user", content: "Hello" }] },
  "openai-responses": { model: "m", input: "Hello" },
  anthropic: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
};

const frame = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: { type: string }) => `event: ${data.type}\n${frame(data)}`;
const each = <Item>(make: () => Item): Item[] => Array.from({ length: chunks }, make);

/** A stream of so many words in each protocol (protocols.md §1–3). */
const streams: Record<Name, string[]> = {
  "openai-chat": [
    ...each(() =>
      frame({
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta: { content: word }, finish_reason: null }],
      }),
    ),
    frame({ id: "c", created: 1, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    frame({ id: "c", created: 1, choices: [], usage: { prompt_tokens: 9, completion_tokens: chunks } }),
    "data: [DONE]\n\n",
  ],
  "openai-responses": [
    named({ type: "response.created", response: { id: "r", created_at: 1, output: [] } } as never),
    named({
      type: "response.output_item.added",
      output_index: 0,
      item: { id: "m", type: "message", role: "assistant", content: [] },
    } as never),
    named({
      type: "response.content_part.added",
      item_id: "m",
      output_index: 0,
      content_index: 0,
      part: { type: "output_text", text: "" },
    } as never),
    ...each(() =>
      named({
        type: "response.output_text.delta",
        item_id: "m",
        output_index: 0,
        content_index: 0,
        delta: word,
      } as never),
    ),
    named({
      type: "response.completed",
      response: {
        id: "r",
        created_at: 1,
        status: "completed",
        output: [
          {
            id: "m",
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: word.repeat(chunks) }],
          },
        ],
        usage: { input_tokens: 9, output_tokens: chunks, total_tokens: chunks + 9 },
      },
    } as never),
  ],
  anthropic: [
    named({
      type: "message_start",
      message: { id: "m", content: [], usage: { input_tokens: 9, output_tokens: 1 } },
    } as never),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as never),
    ...each(() =>
      named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } } as never),
    ),
    named({ type: "content_block_stop", index: 0 } as never),
    named({
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: chunks },
    } as never),
    named({ type: "message_stop" }),
  ],
  gemini: [
    ...each(() =>
      frame({
        responseId: "r",
        candidates: [{ index: 0, content: { role: "model", parts: [{ text: word }] } }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: chunks },
      }),
    ),
    frame({
      responseId: "r",
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: chunks },
    }),
  ],
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
  const exchange = await createExchange(exchanged, { protocol: upstream }, target);
  const relay = exchange.createRelay(stream, stream.createReader(call), undefined);
  for (const read of reads) relay.push(read);
  relay.finish(relay.held());
}

/** Microseconds of CPU a chunk, the median of several rounds; compiled code only. */
async function cost(client: Name, provider: Name): Promise<number> {
  const reads = streams[provider].map((text) => Buffer.from(text));
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    for (let run = 0; run < runs; run++) await relayOnce(client, provider, reads);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / (runs * chunks));
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
