/** The console's routes of usage over the real stores, asked by members of any organization. */

import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { ConsoleAnswers } from "#shared/edges/console/call.ts";
import { usageAnswers } from "#shared/edges/console/operations/usage.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import { createCallAccounts } from "#shared/edges/store/accounts.ts";
import { createBoards } from "#shared/edges/store/board.ts";
import { createCallLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createCallMeters } from "#shared/edges/store/meters/call-meters.ts";
import { createCountedMeters } from "#shared/edges/store/meters/counted.ts";
import { createRefusedCalls } from "#shared/edges/store/refused-calls.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import type { Caller } from "#shared/people/identity/caller.ts";
import type { Role, User } from "#shared/people/identity/user.ts";
import type { Database } from "./dynamodb.ts";
import { testCatalog } from "./memory.ts";

/** Who asks, and when. */
export interface Asker {
  organization: Organization;
  role?: Role;
  user?: string;
  /** Since when they are a member, Unix milliseconds. */
  since?: number;
  /** Unix milliseconds. */
  at: number;
  headers?: Record<string, string>;
}

interface Told {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  json(): any;
}

const base = testCatalog("http://127.0.0.1:9") as { plans: { free: object } };

/** The tests' catalog, with a plan that bounds what the calls of a day come to. */
export const catalog = createCatalog(
  parseCatalog({
    ...base,
    plans: { ...base.plans, bounded: { ...base.plans.free, list_points_max: { day: "2" } } },
  }),
);

/** Asks a path of the console as a member. `aws` may count or fail. */
export async function askConsole(
  { aws, tables }: Database,
  path: string,
  { organization, role = "owner", user = "usr_1", since = 0, at, headers: asked = {} }: Asker,
): Promise<Told> {
  const answers = usageAnswers({
    accounts: createCallAccounts(aws, tables),
    ledger: createCallLedger(aws, tables, () => at),
    meters: createCallMeters(aws, tables),
    counted: createCountedMeters(aws, tables),
    replays: createReplays(aws, tables),
    refusedCalls: async () => createRefusedCalls(aws, tables),
    boards: createBoards(aws, tables),
    log: () => {},
    catalog,
  });
  const caller = {
    organization,
    role,
    since,
    user: { id: user } as User,
    session: {},
    projects: [] as string[],
  } as unknown as Caller;
  const serve = createConsole(answers as unknown as ConsoleAnswers, {
    log: () => {},
    identify: async () => caller,
    asset: async () => undefined,
  });
  const { pathname, searchParams } = new URL(path, "http://console.test");
  const { status, headers, body } = await serve({
    id: newId("request", at),
    method: "GET",
    path: pathname,
    query: searchParams,
    headers: asked,
    body: Buffer.alloc(0),
    received_at: at,
    deadline_at: at + 30_000,
    ip: "127.0.0.1",
  });
  const text = String(body);
  return { status, headers, text, json: () => JSON.parse(text) };
}

/** An organization without a wallet or a subscription, which is in no store. */
export function organizationOf(id: string, change: Partial<Organization> = {}): Organization {
  return {
    id,
    name: "Test",
    status: "active",
    subscription: null,
    wallet: null,
    permissions: [],
    created_at: 0,
    ...change,
  };
}

/** How many keys were stored: their ids sort in this order. */
let stored = 0;

/** Stores a key of an organization. `created_by` is the user who made it in the console. */
export async function storeKey(
  { aws, tables }: Database,
  organization: string,
  change: Partial<KeyRecord> & { created_by?: string } = {},
): Promise<KeyRecord> {
  const key: KeyRecord = {
    id: newId("key", ++stored),
    hash: newId("request", 0),
    organization,
    project: "",
    name: "key",
    mode: "payg",
    permissions: [],
    limits: null,
    status: "active",
    last_four: "0000",
    created_at: 0,
    expires_at: null,
    ...change,
  };
  await createCallAccounts(aws, tables).createKey(key);
  return key;
}

/** A client that counts requests by action, and the items that queries give. */
export function countingReads(aws: Aws): { aws: Aws; reads: { requests: number; items: number } } {
  const reads = { requests: 0, items: 0 };
  const counted: Aws = async (service, action, input) => {
    const answer = await aws(service, action, input);
    reads.requests += 1;
    reads.items += (answer as { Items?: unknown[] }).Items?.length ?? 0;
    return answer;
  };
  return { aws: counted, reads };
}
