/** A gateway in process with the default catalog, whose providers refuse what the real ones refuse. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { type Answer, call } from "./call.ts";
import { least, pathOf, type Speech } from "./crossed.ts";
import { createMemory, type Memory } from "./memory.ts";
import { catalogAt } from "./traits.ts";
import { startVendors, type Vendors } from "./vendors.ts";

type Json = Record<string, unknown>;

/** The request header that asks for a body to be made to fit. */
export const adapt = { "x-gateway-adapt": "1" };

interface Fitting {
  vendors: Vendors;
  memory: Memory;
  /** The default catalog with all its providers played by `vendors`. */
  catalog(): Catalog;
  /** Begins anew with another catalog. */
  begin(catalog: unknown): void;
  /** Sends the least that a client of a protocol can, with more members, or a text as it is. */
  ask(client: Speech, model: string, body: Json | string, more?: Record<string, string>): Promise<Answer>;
  /** The body that a provider was sent last. */
  sent(): Json;
}

/** What an answer names as left out or changed. */
export const droppedIn = (answer: Answer): string[] =>
  answer.headers["x-gateway-dropped"]?.split(", ").toSorted() ?? [];

/** Registers a fresh gateway for each test of the file. */
export function useFitting(): Fitting {
  let serve: Pipeline;
  let headers: Record<string, string>;
  const fitting = {
    catalog: () => catalogAt(fitting.vendors.url),
    begin(catalog) {
      fitting.memory = createMemory(catalog);
      const key = fitting.memory.addKey();
      headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      serve = createPipeline({} as LocalAnswers, fitting.memory.deps);
    },
    ask(client, model, body, more = {}) {
      const addressed = client === "gemini" ? {} : { model };
      const said = typeof body === "string" ? body : { ...addressed, ...least[client], ...body };
      return call(serve, pathOf(client, model, false), { headers: { ...headers, ...more }, body: said });
    },
    sent: () => fitting.vendors.requests.at(-1)?.body ?? {},
  } as Fitting;
  beforeAll(async () => {
    fitting.vendors = await startVendors();
  });
  afterAll(() => fitting.vendors.stop());
  beforeEach(() => {
    fitting.vendors.requests.length = 0;
    fitting.begin(fitting.catalog());
  });
  return fitting;
}
