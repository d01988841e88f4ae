/** Calls whose streams are raced: three channels, whose providers answer when they are told to. */
import type { ServerResponse } from "node:http";
import { beforeEach, expect } from "vitest";
import type { Answer, CallOptions } from "./call.ts";
import { chatBody, delta, done, sse, streamOf, usageFrame } from "./scenario.ts";
import { type Name, names, type ThreeWays, useThreeWays } from "./three-ways.ts";

/** The shortest that the catalog takes. */
export const lateMs = 100;
export const body = { ...chatBody, stream: true };
/** North is asked first, and then south. */
export const order = { "x-gateway-route": "order=north,south,west" };
const answer = (text: string) => [delta(text), usageFrame, done] as const;

/** A provider that answers nothing until it is told to. */
interface Silent {
  /** Resolves when it is asked. */
  asked: Promise<ServerResponse>;
  /** Resolves when its connection is closed. */
  closed: Promise<void>;
}

/** Ends a provider's answer with these words, whether it has begun or not. */
export function finish(response: ServerResponse, text: string): void {
  if (!response.headersSent) response.writeHead(200, sse);
  for (const each of answer(text)) response.write(each);
  response.end();
}

interface Racing extends ThreeWays {
  /** A streamed call. Each provider answers with its name. */
  stream(options?: CallOptions, more?: object): Promise<Answer>;
  silent(name: Name, begins?: (response: ServerResponse) => void): Silent;
  /** The attempts of the first event, as a receipt tells them. */
  told(): [provider: string, outcome: string][] | undefined;
  logged(event: string): ThreeWays["memory"]["logs"];
  /** One hold, one event, one settlement, and nobody pays twice. */
  billedOnce(): void;
}

/** Registers a fresh one for each test of the file. A stream is late after `lateMs`. */
export function useRacing(): Racing {
  const ways = useThreeWays({ routing: { first_byte_ms: lateMs } });
  beforeEach(() => {
    for (const name of names) ways.upstreams[name].on(streamOf(...answer(name)));
  });
  return Object.assign(ways, {
    stream: (options: CallOptions = {}, more: object = {}) =>
      ways.chat({ ...options, headers: { ...order, ...options.headers } }, { ...body, ...more }),
    silent(name: Name, begins: (response: ServerResponse) => void = () => {}): Silent {
      const [asked, closed] = [Promise.withResolvers<ServerResponse>(), Promise.withResolvers<void>()];
      ways.upstreams[name].on((_, response) => {
        response.on("close", closed.resolve);
        begins(response);
        asked.resolve(response);
      });
      return { asked: asked.promise, closed: closed.promise };
    },
    told: () =>
      ways.memory.events[0]?.route?.attempts.map(({ provider, outcome }): [string, string] => [
        provider,
        outcome,
      ]),
    logged: (event: string) => ways.memory.logs.filter((line) => line.event === event),
    billedOnce(): void {
      const { holds, events, settled, direct } = ways.memory;
      expect([holds.length, events.length, settled.length, direct.length]).toEqual([1, 1, 1, 0]);
      expect(events[0]?.usage).toMatchObject({ input_tokens: 10, output_tokens: 4 });
    },
  });
}
