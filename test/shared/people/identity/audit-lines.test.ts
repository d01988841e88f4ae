/**
 * The table of what changes an organization without a session has every operation and command that can. A walk through all
 * routes with an API key sees no change without the line that the table names.
 */
import { describe, expect, test } from "vitest";
import { permissions } from "#infra/resources/operator-permissions.ts";
import { type Route, routes } from "#shared/base/http/routes.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { AdminRoute } from "#shared/edges/admin/route.ts";
import { adminRoutes } from "#shared/edges/admin/routes.ts";
import type { ConsoleRoute } from "#shared/edges/console/route.ts";
import { consoleRoutes } from "#shared/edges/console/routes.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { auditKinds } from "#shared/people/identity/audit.ts";
import {
  toldByKey,
  toldByOperator,
  toldByToken,
  toldWithoutSession,
} from "#test/shared/people/identity/told-changes.ts";
import { openMembers } from "#test/support/members.ts";
import { openSessionGateway } from "#test/support/session-gateway.ts";
import { eventOf, noon, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();
const { db, ledger } = stores;
const tellsOf = (told: typeof toldByKey) =>
  new Map(Object.entries(told).map(([name, { tells }]) => [name, tells]));
const [byKey, withoutSession] = [tellsOf(toldByKey), tellsOf(toldWithoutSession)];
const byOperator = new Map(Object.entries(toldByOperator));
const byToken = new Map(Object.entries(toldByToken));
const kindsIn = (told: string) => [...told.matchAll(/`([a-z_]+)`/g)].map(([, kind = ""]) => kind);

describe("the table has every", () => {
  test("operation of the gateway that is no reading", () => {
    const changing = routes.filter(({ method }) => method !== "GET").map(({ operation }) => operation);
    expect([...byKey.keys()].toSorted()).toEqual([...new Set<string>(changing)].toSorted());
  });

  test("operation of the console that needs no session and is no reading", () => {
    const open = (consoleRoutes as readonly ConsoleRoute[]).filter(
      ({ method, access }) => method !== "GET" && (access === "public" || access === "cookie"),
    );
    expect([...withoutSession.keys()].toSorted()).toEqual(open.map(({ operation }) => operation).toSorted());
  });

  test("operation of the operators' API that is no reading", () => {
    const changing = (adminRoutes as readonly AdminRoute[]).filter(({ method }) => method !== "GET");
    expect([...byToken.keys()].toSorted()).toEqual(changing.map(({ operation }) => operation).toSorted());
  });

  test("command of the operator that writes to a table", () => {
    const writes = /^dynamodb:(?:Put|Update|Delete)Item (?:keys|accounts|counters|ledger|tasks)$/;
    const writing = Object.entries(permissions).filter(([, { uses, seldom = {}, beyond = [] }]) =>
      [...uses, ...beyond, ...Object.values(seldom).flat()].some((each) => writes.test(each)),
    );
    expect([...byOperator.keys()].toSorted()).toEqual(writing.map(([words]) => words).toSorted());
  });
});

test("every line that the table names is a kind of the log, and a command that leaves one may write it", () => {
  for (const [name, told] of [...byKey, ...withoutSession, ...byOperator, ...byToken])
    for (const kind of kindsIn(told)) expect(auditKinds, name).toContain(kind);
  for (const [words, told] of byOperator) {
    if (kindsIn(told).length === 0) continue;
    const { uses = [], seldom = {} } = permissions[words] ?? {};
    expect([uses, ...Object.values(seldom)].flat(), words).toContain("dynamodb:PutItem accounts");
  }
});

interface Write {
  table: string | undefined;
  pk: string;
}

/** What one request to DynamoDB writes. */
function writesOf(action: string, input: Record<string, unknown>): Write[] {
  type Part = {
    TableName?: string;
    Key?: Record<string, { S?: string }>;
    Item?: Record<string, { S?: string }>;
  };
  const parts: Part[] =
    action === "TransactWriteItems"
      ? (input.TransactItems as { Put?: Part; Update?: Part; Delete?: Part }[]).flatMap(
          ({ Put, Update, Delete }) => Put ?? Update ?? Delete ?? [],
        )
      : ["PutItem", "UpdateItem", "DeleteItem"].includes(action)
        ? [input as Part]
        : [];
  return parts.map(({ TableName, Key, Item }) => ({ table: TableName, pk: (Key ?? Item)?.pk?.S ?? "" }));
}

/** A gateway whose writes are recorded, an API key that manages keys, and a call that was answered out of the cache. */
async function opened() {
  let requests: Write[][] = [];
  const recording: Aws = async (...call) => {
    const writes = writesOf(call[1], call[2] as Record<string, unknown>);
    if (writes.length > 0) requests.push(writes);
    return await db.aws(...call);
  };
  const desk = openMembers({ aws: recording, tables: db.tables });
  const accounts = createAccounts(recording, db.tables);
  const acme = await desk.newOrganization();
  const owner = await desk.newMember(acme, "owner");
  const cache = { remove: async () => true } as never;
  const gateway = openSessionGateway(desk, { ...stores, accounts }, { real: true, changes: { cache } });
  const make = async (...permissions: string[]) => {
    const wanted = { billing_mode: "payg", permissions };
    return (await desk.ask([owner, acme], "POST /api/v1/keys", wanted)).body as { id: string; key: string };
  };
  const [manager, other] = [await make("manage_keys"), await make()];
  const hold = walletHold(acme.wallet?.meter ?? "", "1", noon, manager.id);
  const hit = { level: "exact", request: "req_1", place: "scope/name", entry: "req_1" };
  const event = eventOf(hold, "0.5", { organization: acme.id, cache: hit as never });
  await ledger.record([event]);
  const take = () => {
    const taken = requests;
    requests = [];
    return taken;
  };
  return { desk, acme, gateway, manager, other, call: event.id, take };
}

const bodies: Partial<Record<string, (of: { call: string }) => object>> = {
  create_key: () => ({ billing_mode: "payg" }),
  change_key: () => ({ defaults: { cache_points: "auto" } }),
  take_feedback: ({ call }) => ({ request: call, wrong: true }),
};

const operations = [...new Map(routes.map((row): [string, Route] => [row.operation, row])).values()];

test.each(operations.map((row): [string, Route] => [row.operation, row]))(
  "%s with an API key writes nothing about the organization without the line of the table",
  async (operation, row) => {
    const { desk, acme, gateway, manager, other, call, take } = await opened();
    take();
    desk.clock.now += 1;
    const path = row.path.replace("/keys/{id}", `/keys/${other.id}`);
    const headers = { "x-api-key": manager.key, ...(row.client && { "anthropic-version": "2023-06-01" }) };
    const reply = await gateway.ask(
      { method: row.method, path },
      headers,
      bodies[operation]?.({ call }) ?? "",
    );
    const kinds = kindsIn(byKey.get(operation) ?? "");
    const told = take().map((writes) => ({
      isAbout: writes.some(({ table }) => table === db.tables.keys || table === db.tables.accounts),
      hasLine: writes.some(({ pk }) => pk === `G#${acme.id}`),
    }));
    // Each request that changes organizations, keys or people has its line in the same transaction.
    expect(told.filter(({ isAbout, hasLine }) => isAbout && !hasLine)).toEqual([]);
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    const own = entries.filter(({ credential }) => credential === manager.id).map(({ kind }) => kind);
    expect(own).toEqual(kinds);
    if (kinds.length > 0) expect(reply.status).toBe(200);
  },
);
