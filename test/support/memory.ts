/**
 * The gateway's ports in memory, for tests of the pipeline itself: what is admitted, published and
 * settled is recorded, and each port can be told to fail. The real stores have their own suite.
 */
import { hashApiKey } from "#shared/base/platform/api-key.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { LogFields } from "#shared/base/platform/log.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import type { KeyRecord, Organization, Principal } from "#shared/books/accounts/account.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Admission, Extension } from "#shared/books/meters/admission.ts";
import { givenBack, type Hold, type Settlement, type Ticket, ticketOf } from "#shared/books/meters/hold.ts";
import type { Intent } from "#shared/books/meters/intent.ts";
import { Refusals } from "#shared/calls/access/refusals.ts";
import type { RefusedCall } from "#shared/calls/access/refused-calls.ts";
import type { Lesson } from "#shared/calls/cache/semantic/lesson.ts";
import type { Owner } from "#shared/calls/exchange/own-ids.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import { testClouds } from "./clouds.ts";
import { MemoryBoards } from "./memory-boards.ts";
import { createMemoryCache, type MemoryCache } from "./memory-cache.ts";
import { createMemoryReplays } from "./memory-replays.ts";
import { type AskedRushes, createMemoryRushes } from "./memory-rushes.ts";
import { createMemorySemantic, type MemorySemantic } from "./memory-semantic.ts";
import { givenTo } from "./own-ids.ts";
import { plainOwnKeys } from "./own-keys.ts";

export const pepper = "test pepper";
const absent = () => Promise.reject(new Error("not in this test"));

/** An answer of the meter, but for the ticket: the memory adds it. */
export type WithoutTicket<Answer> = Answer extends { ticket: Ticket } ? Omit<Answer, "ticket"> : Answer;

export interface Memory {
  deps: Deps;
  /** Adds a key and gives its secret. */
  addKey(change?: Partial<KeyRecord>, organization?: Partial<Organization>): string;
  /** An id of the tests' provider, as it was given to the newest key's organization and project. */
  give(id: string): string;
  /** To whom ids are given that its newest key brings. */
  owner(): Owner;
  holds: Hold[];
  intents: Intent[];
  events: UsageEvent[];
  /** Events that went to the ledger because the queue refused them. */
  direct: UsageEvent[];
  /** What was held after each step, by the ticket that the step replaced. */
  extended: { ticket: Ticket; points: bigint }[];
  settled: { ticket: Ticket; settlement: Settlement }[];
  logs: { event: string; fields: LogFields }[];
  cache: MemoryCache;
  contexts: MemorySemantic;
  /** What the learner was sent. */
  lessons: Lesson[];
  /** What the meter answers, to an admission and to who asks for more; it agrees by default. */
  admission: WithoutTicket<Admission> | Error;
  extension: () => Promise<WithoutTicket<Extension>>;
  /** Failures to inject. */
  queueFails: boolean;
  ledgerFails: boolean;
  intentFails: Error | undefined;
  /** The calls that were refused, as they are kept. */
  refused: RefusedCall[];
  reads: number;
  rushes: AskedRushes;
  boards: MemoryBoards;
}

/** A catalog of one chat model, `test/model-1`, whose only provider is at `url` in all four protocols. */
export function testCatalog(url: string): unknown {
  return {
    version: "2026-11-21",
    providers: {
      test: {
        protocols: { openai: `${url}/v1`, responses: `${url}/v1`, anthropic: url, gemini: url },
        auth: "bearer",
        secret: "TEST_API_KEY",
      },
    },
    models: [
      {
        id: "test/model-1",
        aliases: ["test/model-one"],
        display_name: "Model 1",
        created: 1_760_000_000,
        owned_by: "test",
        capabilities: ["chat", "stream", "tools"],
        context_tokens: 200_000,
        output_tokens: 8_192,
        price: {
          mode: "flat_tokens",
          input: "2.5",
          output: "10",
          cache_read: "0.25",
          cache_write: "3.125",
          rates: { cache_write_1h: "5", tools: { web_search: "0.01" } },
        },
        channels: [{ provider: "test", model: "upstream-model" }],
      },
      {
        id: "test/embedding-1",
        display_name: "Embedding 1",
        created: 1_760_000_000,
        owned_by: "test",
        capabilities: ["embeddings"],
        context_tokens: 8_192,
        output_tokens: 1,
        price: { mode: "flat_tokens", input: "0.1", output: "0", cache_read: "0.1", cache_write: "0.1" },
        channels: [{ provider: "test", model: "upstream-embedding" }],
      },
      {
        id: "test/image-1",
        display_name: "Image 1",
        created: 1_760_000_000,
        owned_by: "test",
        capabilities: ["images", "image_edits"],
        context_tokens: 0,
        output_tokens: 0,
        price: { mode: "per_image", unit_price: "0.2" },
        discount_rate: "0.95",
        channels: [{ provider: "test", model: "upstream-image" }],
      },
    ],
    plans: {
      free: {
        quota: { monthly: 100, quarterly: 100, yearly: 100 },
        rpm: 3,
        tpm: 20_000,
        tpd: 200_000,
        price: { monthly: "0", quarterly: "0", yearly: "0" },
      },
    },
  };
}

/** Fresh ports over the given catalog (as JSON). */
export function createMemory(catalogJson: unknown): Memory {
  const principals = new Map<string, Principal>();
  const memory: Memory = {
    deps: undefined as unknown as Deps,
    give: (id) => givenTo(memory.owner(), id, pepper),
    owner() {
      const { organization, key } = [...principals.values()].at(-1) ?? {};
      return { organization: organization?.id ?? "", project: key?.project ?? "" };
    },
    addKey(change = {}, organization = {}) {
      // In the form of a key from before there were checksums, so that tests can tell them apart.
      const secret = `sk-payg-${`${principals.size}-`.padEnd(43, "x")}`;
      const at = Date.now();
      const owner: Organization = {
        id: newId("organization", at),
        name: "Test",
        status: "active",
        subscription: null,
        wallet: { meter: newId("meter", at), shards: 1 },
        permissions: [],
        created_at: at,
        ...organization,
      };
      const key: KeyRecord = {
        id: newId("key", at),
        hash: hashApiKey(pepper, secret),
        organization: owner.id,
        project: "",
        name: "test",
        mode: "payg",
        permissions: [],
        limits: null,
        status: "active",
        last_four: secret.slice(-4),
        created_at: at,
        expires_at: null,
        ...change,
      };
      principals.set(key.hash, { key, organization: owner });
      return secret;
    },
    holds: [],
    intents: [],
    events: [],
    direct: [],
    extended: [],
    settled: [],
    logs: [],
    cache: createMemoryCache(),
    contexts: createMemorySemantic(),
    lessons: [],
    admission: { admitted: true, limitStatus: {} },
    extension: async () => ({ extended: true }),
    queueFails: false,
    ledgerFails: false,
    intentFails: undefined,
    refused: [],
    reads: 0,
    rushes: [],
    boards: new MemoryBoards(),
  };
  memory.deps = portsOf(memory, principals, catalogJson);
  return memory;
}

function portsOf(memory: Memory, principals: Map<string, Principal>, catalogJson: unknown): Deps {
  return {
    ...createMemoryRushes(memory.rushes),
    ...{ pages: "not in this test", boards: memory.boards },
    accounts: {
      findPrincipal: async (hash: string) => {
        memory.reads += 1;
        return principals.get(hash);
      },
      async rehashKey(key: KeyRecord, to: Pick<KeyRecord, "hash" | "hash_version">) {
        const principal = principals.get(key.hash);
        if (principal) principals.set(to.hash, { ...principal, key: { ...key, ...to } });
        return principal !== undefined;
      },
    } as unknown as Deps["accounts"],
    ownKeys: plainOwnKeys,
    meters: metersOf(memory),
    ledger: {
      entriesOf: async (_organization: string, request: string) =>
        memory.direct.filter(({ id }) => id === request).map((event) => ({ event })),
      async record(events: UsageEvent[]) {
        if (memory.ledgerFails) throw new Error("ledger down");
        memory.direct.push(...events);
        return events.map(() => "recorded" as const);
      },
    } as unknown as Deps["ledger"],
    queue: {
      async send(event) {
        if (memory.queueFails) throw new Error("queue down");
        memory.events.push(event);
      },
    },
    replays: createMemoryReplays(),
    cache: memory.cache,
    semantic: async () => ({
      contexts: memory.contexts,
      statistics: { add: absent, read: absent },
      lessons: {
        async send(lesson) {
          if (memory.queueFails) throw new Error("queue down");
          memory.lessons.push(lesson);
        },
      },
    }),
    refusals: new Refusals(),
    refusedCalls: async () => ({
      add: async (call) => memory.refused.push(call) > 0,
      find: absent,
      newest: absent as never,
    }),
    ...{ send, clouds: testClouds() },
    catalog: createCatalog(parseCatalog(catalogJson)),
    secrets: {
      peppers: async () => readPeppers(pepper),
      provider: async () => "upstream-secret",
      lacks: () => false,
    },
    log: (_level, event, fields = {}) => void memory.logs.push({ event, fields }),
    now: Date.now,
  };
}

function metersOf(memory: Memory): Deps["meters"] {
  const settle: Deps["meters"]["settle"] = async (ticket, settlement) => {
    memory.settled.push({ ticket, settlement });
    return true;
  };
  return {
    async admit(hold) {
      if (memory.admission instanceof Error) throw memory.admission;
      if (!memory.admission.admitted) return memory.admission;
      memory.holds.push(hold);
      return { ...memory.admission, ticket: ticketOf(hold) };
    },
    gather: absent,
    async extend(ticket, points) {
      const extension = await memory.extension();
      if (!extension.extended) return extension;
      memory.extended.push({ ticket, points });
      return { extended: true, ticket: { ...ticket, hold: { ...ticket.hold, points } } };
    },
    async intend(intent) {
      if (memory.intentFails) throw memory.intentFails;
      memory.intents.push(intent);
    },
    intent: async (request) => memory.intents.find((intent) => intent.request === request),
    abandon: async (ticket) => await settle(ticket, givenBack(ticket.hold.at)),
    settle,
    balance: absent,
    budgets: absent,
  };
}
