/** A model of three channels, each with a provider of its own, behind a pipeline over ports in memory. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { channelId } from "#shared/books/catalog/channel-id.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import type { ChannelCounts } from "#shared/calls/routing/board.ts";
import { type Answer, type CallOptions, call } from "./call.ts";
import { createMemory, type Memory, testCatalog } from "./memory.ts";
import { chatBody, completion } from "./scenario.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

export const names = ["north", "south", "west"] as const;
export type Name = (typeof names)[number];

/** The id of a provider's channel. */
export const idOf = (name: Name) => channelId(name, "upstream-model", `${name.toUpperCase()}_KEY`);

export interface ThreeWays {
  upstreams: Record<Name, Upstream>;
  memory: Memory;
  serve: Pipeline;
  /** Of a subscription's key, whose routing is smart. */
  headers: Record<string, string>;
  /** What the gateway takes for now, Unix milliseconds. */
  clock: number;
  chat(options?: CallOptions, body?: object): Promise<Answer>;
  /** Has a provider answer with a status. */
  fails(name: Name, status: number, more?: Record<string, string>): void;
  /** What the board has counted of a provider's channel. */
  countsOf(name: Name): Promise<Required<Pick<ChannelCounts, "faults" | "limited" | "raced">>>;
}

/** Registers fresh ones for each test of the file. `model` is added to the model's entry. */
export function useThreeWays(model: object = {}): ThreeWays {
  const upstreams = {} as Record<Name, Upstream>;
  const ways = {
    upstreams,
    chat: (options: CallOptions = {}, body: object = chatBody) =>
      call(ways.serve, "/v1/chat/completions", {
        ...options,
        headers: { ...ways.headers, ...options.headers },
        body,
      }),
    fails: (name: Name, status: number, more: Record<string, string> = {}) =>
      upstreams[name].on((_, response) => response.writeHead(status, more).end("{}")),
    async countsOf(name: Name) {
      const { windows } = await ways.memory.boards.read("test/model-1", ways.clock);
      const all = windows.map(({ channels }) => channels[idOf(name)] ?? {});
      const sum = (count: "faults" | "limited" | "raced") =>
        all.reduce((total, each) => total + (each[count] ?? 0), 0);
      return { faults: sum("faults"), limited: sum("limited"), raced: sum("raced") };
    },
  } as ThreeWays;
  beforeAll(async () => {
    for (const name of names) upstreams[name] = await startUpstream();
  });
  afterAll(() => Promise.all(names.map((name) => upstreams[name].stop())));
  beforeEach(() => {
    ways.memory = createMemory(catalogOf(upstreams, model));
    ways.clock = Date.now();
    ways.memory.deps.now = () => ways.clock;
    const subscription = {
      meter: "mtr_1",
      plan: "free",
      period: "monthly",
      started_at: ways.clock,
      ends_at: null,
    } as const;
    ways.headers = {
      authorization: `Bearer ${ways.memory.addKey({ mode: "subscription" }, { subscription })}`,
    };
    ways.serve = createPipeline({} as LocalAnswers, ways.memory.deps);
    for (const name of names) {
      upstreams[name].reset();
      upstreams[name].json(completion);
    }
  });
  return ways;
}

function catalogOf(upstreams: Record<Name, Upstream>, more: object): unknown {
  const catalog = testCatalog(upstreams.north.url) as { providers: object; models: object[] };
  const providers = names.map((name) => [
    name,
    { protocols: { openai: `${upstreams[name].url}/v1` }, secret: `${name.toUpperCase()}_KEY` },
  ]);
  catalog.providers = { ...catalog.providers, ...Object.fromEntries(providers) };
  const channels = names.map((provider) => ({ provider, model: "upstream-model" }));
  catalog.models[0] = { ...catalog.models[0], channels, ...more };
  return catalog;
}
