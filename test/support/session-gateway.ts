/** A gateway that takes the sessions of a desk's people, over the stores of a test. */

import { jsonReply } from "#shared/base/http/message.ts";
import { type Route, routes } from "#shared/base/http/routes.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { SessionPorts } from "#shared/calls/access/sessions.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { localAnswers } from "../../functions/local-answers.ts";
import { call } from "./call.ts";
import type { openMembers } from "./members.ts";
import { createMemory, testCatalog } from "./memory.ts";
import type { useStores } from "./stores.ts";

type Stores = Pick<ReturnType<typeof useStores>, "db" | "accounts" | "ledger" | "meters" | "replays">;

interface GatewayOptions {
  /** Whether its local operations are the real ones, over the test's stores. Else stand-ins tell who calls. */
  real?: boolean;
  withSessions?: boolean;
  /** Changes of its dependencies. */
  changes?: Partial<Deps>;
}

/** Opens it. */
export function openSessionGateway(
  desk: ReturnType<typeof openMembers>,
  { db, accounts, ledger, meters, replays }: Stores,
  { real = false, withSessions = true, changes = {} }: GatewayOptions = {},
) {
  const memory = createMemory(testCatalog("http://127.0.0.1:9"));
  const callers = createCallers(db.aws, db.tables);
  const { deps } = desk;
  let opened = 0;
  const sessions = async (): Promise<SessionPorts> => {
    opened += 1;
    return {
      identify: (request) => identify(request, { keys: deps.keys, callers, now: deps.now }),
      members: deps.members,
      auditedKeys: deps.auditedKeys,
      auditLog: deps.auditLog,
    };
  };
  const secrets = { ...memory.deps.secrets, peppers: deps.peppers };
  const all: Deps = {
    ...memory.deps,
    ...(real && { accounts, ledger, meters, replays, now: deps.now, secrets }),
    ...(withSessions && { sessions }),
    ...changes,
  };
  const standIns = routes.map(({ operation }) => [
    operation,
    async ({ member, principal }: { member?: { organization: Organization }; principal: unknown }) =>
      jsonReply({ operation, member: member?.organization.id ?? null, isKey: principal !== null }),
  ]);
  const answers = real ? localAnswers(all as never) : (Object.fromEntries(standIns) as LocalAnswers);
  const serve = createPipeline(answers, all);
  const ask = async (
    { method, path }: Pick<Route, "method" | "path">,
    headers: Record<string, string>,
    body: object | string = "",
  ) =>
    await call(serve, path.replaceAll(/\{\w+\}/g, "some-1"), { method, headers, body, at: desk.clock.now });
  return { ask, memory, opened: () => opened };
}
