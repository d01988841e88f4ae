/** A gateway whose providers are those of the default catalog, each played in its own dialect. */
import { beforeEach } from "vitest";
import type { Provider } from "#shared/books/catalog/catalog.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { type Answer, call } from "#test/support/call.ts";
import { pathOf, type Speech } from "#test/support/crossed.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import { useScenario } from "#test/support/scenario.ts";
import type { Upstream } from "#test/support/upstream.ts";
import type { Json } from "#test/support/vendor-answers.ts";
import type { Dialect } from "./dialect.ts";

/** Points for a million tokens, each its own, so that a count in the wrong place shows in the sum. */
export const prices = { input: "3", output: "17", cache_read: "0.7", cache_write: "5" };

const modelOf = ({ vendor }: Dialect): string => `${vendor}/played`;

/** A catalog with one model of each vendor. The providers are the default catalog's, reached at `url` over OpenAI chat. */
function playedCatalog(dialects: readonly Dialect[], url: string, traits?: Json): unknown {
  const catalog = testCatalog(url) as { providers: Json; models: Json[] };
  const [chat] = catalog.models;
  const providerOf = ({ vendor }: Dialect): [string, unknown] => {
    const provider = catalogFile.providers[vendor as keyof typeof catalogFile.providers] as Provider;
    return [
      vendor,
      { ...provider, ...(traits && { traits }), protocols: { openai: `${url}/${vendor}/openai` } },
    ];
  };
  return {
    ...catalog,
    providers: { ...catalog.providers, ...Object.fromEntries(dialects.map(providerOf)) },
    models: [
      ...catalog.models,
      ...dialects.map((dialect) => ({
        ...chat,
        id: modelOf(dialect),
        aliases: [],
        capabilities: ["chat", "stream", "tools", "reasoning"],
        price: { mode: "flat_tokens", ...prices },
        channels: [{ provider: dialect.vendor, model: dialect.model }],
        ...(dialect.traits && {
          traits: { source: dialect.source, as_of: "2026-11-28", ...dialect.traits },
        }),
      })),
    ],
  };
}

interface PlayedGateway {
  upstream: Upstream;
  memory: Memory;
  /** Asks as a client of a protocol; `headers` are added. */
  ask(client: Speech, dialect: Dialect, body: Json, headers?: Record<string, string>): Promise<Answer>;
  /** The body that the provider was sent last. */
  sent(): Json;
  /** From now on the provider of this dialect alone is there, and is said to take this. */
  restate(dialect: Dialect, traits: Json): void;
}

/** What the default catalog says of a vendor's dialect. */
export function traitsOf({ vendor }: Dialect): Json {
  const provider = catalogFile.providers[vendor as keyof typeof catalogFile.providers] as Provider;
  return { ...(provider.traits as Json | undefined) };
}

/** Registers a fresh gateway for each test of the file. */
export function usePlayed(dialects: readonly Dialect[]): PlayedGateway {
  const scenario = useScenario();
  let serve: Pipeline;
  const played = {
    ask(client, dialect, body, headers = {}) {
      const model = modelOf(dialect);
      const { stream, ...rest } = body;
      const addressed = client === "gemini" ? rest : { model, ...body };
      return call(serve, pathOf(client, model, stream === true), {
        headers: { ...scenario.bearer(), "content-type": "application/json", ...headers },
        body: addressed,
      });
    },
    sent: () => JSON.parse(scenario.upstream.requests.at(-1)?.body.toString() ?? "null") as Json,
    restate: (dialect, traits) => open(playedCatalog([dialect], scenario.upstream.url, traits)),
  } as PlayedGateway;
  const open = (catalog: unknown) => {
    played.memory = scenario.memory = createMemory(catalog);
    scenario.key = scenario.memory.addKey();
    serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
  };
  beforeEach(() => {
    played.upstream = scenario.upstream;
    open(playedCatalog(dialects, scenario.upstream.url));
  });
  return played;
}
