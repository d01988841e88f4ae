/** The report routes over the real stores, with one organization's books: three keys, two projects, five calls. */
import { beforeAll } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord } from "#shared/books/accounts/account.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { localAnswers } from "../../functions/local-answers.ts";
import { type Answer, call } from "./call.ts";
import { createMemory, testCatalog } from "./memory.ts";
import { eventOf, walletHold } from "./store.ts";
import { useStores } from "./stores.ts";

/** Noon of the day of all calls, more or less: the clock of every request. */
export const now = Date.parse("2026-11-21T12:30:00Z");

type Item = { calls: number; cost_points: string } & Record<string, string | number | null>;
export interface Report {
  from: string;
  to: string;
  project_id: string;
  group_by: string[];
  groups: Item[];
  by_model: Item[];
  totals: Item;
}

interface ReportRoutes {
  serve: Pipeline;
  /** Ids of the keys by their names: `whole` of the organization, `alpha` and `beta` of the projects. */
  ids: Record<string, string>;
  /** Asks a path with one of the keys. */
  get(path: string, key: string): Promise<Answer>;
}

/** A range around all calls. */
export const wide = "from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z";

/** Registers the books for the tests of a file. */
export function useReports(): ReportRoutes {
  const { accounts, ledger, meters } = useStores();
  const organization = newId("organization", now);
  const secrets: Record<string, string> = {};
  const ids: Record<string, string> = {};
  const routes: ReportRoutes = {
    serve: () => Promise.reject(new Error("the routes are not there before a test runs")),
    ids,
    get: (path, key) =>
      call(routes.serve, path, {
        method: "GET",
        headers: { authorization: `Bearer ${secrets[key]}` },
        at: now,
      }),
  };
  const event = (key: string, cost: string, change: Partial<UsageEvent>, offset = 0): UsageEvent => {
    const hold = walletHold("mtr_1", cost, now - 60_000 + offset, ids[key]);
    const project = key === "whole" ? "" : key;
    return eventOf(hold, cost, { organization, project, model: "test/model-1", ...change });
  };
  beforeAll(async () => {
    const memory = createMemory(testCatalog("http://127.0.0.1:9"));
    for (const [name, project] of [
      ["whole", ""],
      ["alpha", "alpha"],
      ["beta", "beta"],
    ] as const) {
      const change: Partial<KeyRecord> = { id: newId("key", now), organization, project, name };
      if (project === "") change.permissions = ["manage_keys"];
      secrets[name] = memory.addKey(change, { id: organization, wallet: null });
      ids[name] = change.id ?? "";
      const hash = newId("request", now);
      const record = {
        mode: "payg",
        limits: null,
        status: "active",
        last_four: `…${name}`,
        permissions: [],
      } as const;
      await accounts.createKey({
        ...record,
        ...change,
        hash,
        created_at: now,
        expires_at: null,
      } as unknown as KeyRecord);
    }
    const deps = {
      ...memory.deps,
      accounts: { ...accounts, findPrincipal: memory.deps.accounts.findPrincipal },
      ledger,
      meters,
    };
    routes.serve = createPipeline(localAnswers(deps as unknown as Parameters<typeof localAnswers>[0]), deps);
    await ledger.record([
      event("whole", "1", { user: "u-1", tags: "feature=rag,team=search" }, -2 * 3_600_000),
      event("alpha", "2", { user: "u-1", tags: "team=search" }, -3_600_000),
      event("alpha", "0.5", { model: "test/embedding-1" }),
      event("beta", "4", { user: "u-2", tags: "team=ads" }),
      event("beta", "0", { usage: noUsage, list_points: "0", calls: 0, outcome: "failed" }),
    ]);
  });
  return routes;
}
