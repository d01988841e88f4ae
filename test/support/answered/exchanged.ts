/** A provider's answer as a client gets it, without a gateway around the exchange. */

import { readJsonObject } from "#shared/base/json/body.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import type { ExchangedCall } from "#shared/calls/exchange/call.ts";
import { createExchange } from "#shared/calls/exchange/exchange.ts";
import { StreamFailed } from "#shared/calls/exchange/relay.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { crossable, protocols } from "#shared/calls/protocols/index.ts";
import { streamingOf } from "#test/support/streaming.ts";
import type { Json } from "./said.ts";

const errorStyles = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  "bedrock-converse": "aws",
} as const;

const target = {
  secret: "KEY",
  provider: "test",
  model: "upstream",
  output_tokens: 8_192,
  fits: false,
  traits: {},
};

interface Exchanged {
  /** What the provider was sent. */
  sent: Json;
  /** A whole answer as the client's bytes. Throws where it is none. */
  whole(reply: Json): Buffer;
  /** A stream that came in these reads. One that fails ends in the client's own error frame, as in the gateway. */
  streamed(reads: Buffer[]): Buffer;
}

/** The exchange of a client's body with a provider of another protocol. */
export async function exchange(client: CrossingName, provider: CrossingName, body: Json): Promise<Exchanged> {
  const upstream = crossable.find(({ crossing }) => crossing === provider);
  if (!upstream) throw new Error(`nobody is asked in ${provider}`);
  const own = protocols[client];
  const exchangeOf = (stream: boolean) => {
    const exchanged = {
      protocol: own,
      body: readJsonObject(Buffer.from(JSON.stringify(body))),
      call: { ...plainCall, stream },
      model: { id: "test/model", output_tokens: 8_192, context_tokens: 100_000 },
      size: { text_bytes: 100, pictures: 0, files: 0 },
      request: { id: `req_${"0".repeat(26)}`, received_at: 1_764_000_000_000 },
    } as unknown as ExchangedCall;
    return createExchange(exchanged, { protocol: upstream }, target, { now: Date.now });
  };
  const [whole, streams] = await Promise.all([exchangeOf(false), exchangeOf(true)]);
  const streaming = streams.answers.stream;
  if (!streaming) throw new Error(`${provider} has no streams`);
  return {
    sent: JSON.parse(Buffer.concat(whole.request.body).toString()) as Json,
    whole: (reply) => whole.finish(Buffer.from(JSON.stringify(reply))),
    streamed(reads) {
      const relay = streams.createRelay(
        streaming,
        streaming.createReader({ ...plainCall, stream: true }),
        undefined,
      );
      const out: Buffer[] = [];
      try {
        for (const read of reads) out.push(relay.push(read));
        out.push(relay.finish(relay.held()));
      } catch (error) {
        if (!(error instanceof StreamFailed)) throw error;
        const frame = streamingOf(own.name).errorFrame(errorStyles[client], "upstream_error");
        out.push(error.before, relay.finish([frame]));
      }
      return Buffer.concat(out);
    },
  };
}

/** The names of the tools that a provider was told, in the client's order. */
export function namesTold({ tools, toolConfig }: Json): string[] {
  const told = (tools ?? (toolConfig as Json).tools) as Json[];
  return told.flatMap((tool): string[] => {
    if (Array.isArray(tool.functionDeclarations)) {
      return (tool.functionDeclarations as { name: string }[]).map(({ name }) => name);
    }
    const inner = (tool.function ?? tool.toolSpec ?? tool) as { name: string };
    return [inner.name];
  });
}
