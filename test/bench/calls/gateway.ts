/**
 * The gateway with its front, in a process of its own that counts what its calls cost. Providers and AWS are played in
 * it (agent.ts). Its parent sends it calls one at a time, and says when to count.
 */
import { createHook } from "node:async_hooks";
import { promiseHooks } from "node:v8";
import { compiledCatalog } from "#infra/catalog/catalog.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { localCredentials } from "#infra/local/stack/function-environment.ts";
import { hashApiKey, newApiKey } from "#shared/base/platform/api-key.ts";
import { variables } from "#shared/base/platform/env.ts";
import { newId } from "#shared/base/platform/id.ts";
import { createLog, joinLines } from "#shared/base/platform/log.ts";
import type { BundledCatalog } from "#shared/books/catalog/models.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { openGateway } from "../../../functions/front/gateway.ts";
import { countCopies } from "../copies.ts";
import { countAllocated } from "../heap-count.ts";
import { replaceUndici } from "./agent.ts";

/** What the parent asks. Counting the others allocates too, so the heap is counted without them. */
export type Question = "count the heap" | "count the rest" | "tell";

/** All that was counted since the last question, of all calls together. */
export type Told = Record<string, number>;

export interface Ready {
  url: string;
  key: string;
}

const pepper = "pepper";
const db = createMemoryDynamoDb();
const asked = replaceUndici(db, {
  pepper,
  providers: JSON.stringify({ OPENAI_API_KEY: "bench", ANTHROPIC_API_KEY: "bench" }),
});

/** The variables of a function, as its stack would set them. */
const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(db.tables).map(([name, table]) => [`${name.toUpperCase()}_TABLE`, table]),
  ),
  [variables.pepperSecret]: "pepper",
  [variables.providersSecret]: "providers",
  [variables.usageQueue]: "https://queue/1/usage",
  [variables.lessonQueue]: "https://queue/1/lessons",
  [variables.videoWorkflow]: "workflow",
  [variables.taskLifetime]: "3600",
};

/** A customer with a wallet that does not run dry. Gives the key. */
async function seed(): Promise<string> {
  const aws = awsOverMemory(db);
  const accounts = createAccounts(aws, db.tables);
  const created_at = Date.now();
  const meter = newId("meter", created_at);
  const organization = newId("organization", created_at);
  await createMeters(aws, db.tables).open(meter, 0, "payg");
  await accounts.createOrganization({
    id: organization,
    name: "Bench",
    status: "active",
    subscription: null,
    wallet: { meter, shards: 1 },
    permissions: [],
    created_at,
  });
  const credit = { organization, meter, reference: "opening", at: created_at, points: 10n ** 24n };
  await createLedger(aws, db.tables).credit(credit);
  const { secret, last_four } = newApiKey("payg");
  await accounts.createKey({
    id: newId("key", created_at),
    hash: hashApiKey(pepper, secret),
    organization,
    project: "",
    name: "bench",
    mode: "payg",
    permissions: [],
    limits: null,
    status: "active",
    last_four,
    created_at,
    expires_at: null,
  });
  return secret;
}

/** Promises and timers that are made from now on. */
function countMade(): () => Told {
  const made = { promises: 0, timers: 0 };
  const endPromises = promiseHooks.onInit(() => {
    made.promises += 1;
  });
  const hook = createHook({
    init(_id, type) {
      if (type === "Timeout") made.timers += 1;
    },
  }).enable();
  return () => {
    endPromises();
    hook.disable();
    return made;
  };
}

function countHeap(): () => Told {
  const end = countAllocated();
  return () => ({ "heap bytes": end().bytes });
}

function countRest(): () => Told {
  const endMade = countMade();
  const endCopies = countCopies();
  asked.requests = {};
  asked.bytes = 0;
  return () => {
    // `JSON.parse` is among them.
    const copied = endCopies();
    const sum = (values: Record<string, number>) =>
      Object.values(values).reduce((whole, each) => whole + each, 0);
    return {
      ...endMade(),
      "bytes copied or parsed": sum(copied),
      "requests to AWS": sum(asked.requests),
      "bytes sent to AWS": asked.bytes,
    };
  };
}

let end: () => Told = () => ({});
const begin = { "count the heap": countHeap, "count the rest": countRest };

process.on("disconnect", () => process.exit(0));
process.on("message", (question: Question) => {
  if (question !== "tell") {
    end = begin[question]();
    process.send?.({});
  } else process.send?.(end());
});

const key = await seed();
const front = await openGateway(
  { port: 0, host: "127.0.0.1" },
  {
    env: environment,
    log: createLog(joinLines((lines) => process.stdout.write(lines))),
    credentials: () => localCredentials,
    catalog: JSON.parse(compiledCatalog(defaultCatalog).text) as BundledCatalog,
  },
);
process.send?.({ url: `http://127.0.0.1:${front.port}`, key } satisfies Ready);
