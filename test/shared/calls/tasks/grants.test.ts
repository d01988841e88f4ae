/**
 * Compares what each function asks of the tables during a task with what the template grants it. The embedded
 * DynamoDB lets everybody do everything, so a missing grant would otherwise show only after a deployment.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId, taskOf } from "#shared/base/platform/id.ts";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { repairTasks } from "#shared/calls/tasks/repair.ts";
import { listTasks, showTask } from "#shared/calls/tasks/show.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { intentOf, noon, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { Synthesized, unbundled } from "#test/support/template.ts";
import {
  createVideo,
  createVideoScenario,
  orderVideo,
  videoCaller,
  videoRequest,
} from "#test/support/video.ts";

const scratch = mkdtempSync(join(tmpdir(), "video-grants-"));
const logical = {
  keys: "KeysTable",
  counters: "CountersTable",
  ledger: "LedgerTable",
  tasks: "TasksTable",
  board: "BoardTable",
  accounts: "AccountsTable",
  cache: "CacheTable",
};
type Role = "GatewayRole" | "VideoTaskRole" | "SweepRole";

let prod: Synthesized;
const { db, meters } = useStores();
/** `action table partition` of every call, by who made it. */
const asked = new Map<Role, Set<string>>();

beforeAll(() => {
  prod = new Synthesized("prod", scratch, undefined, unbundled);
});
afterAll(() => rmSync(scratch, { recursive: true }));

interface Input {
  TableName: string;
  IndexName?: string;
  Key?: { pk: { S: string } };
  Item?: { pk: { S: string } };
  ExpressionAttributeValues?: Record<string, { S: string }>;
  TransactItems?: Record<string, Input>[];
  RequestItems?: Record<string, { Keys: { pk: { S: string } }[] }>;
}

/** The store as a role has it; IAM is asked for the actions inside of a transaction. */
function storeOf(role: Role, now: number) {
  const lines = asked.get(role) ?? new Set();
  asked.set(role, lines);
  const note = (action: string, { TableName, IndexName, Key, Item, ExpressionAttributeValues }: Input) => {
    const name = (Object.keys(logical) as (keyof TableNames)[]).find((each) => db.tables[each] === TableName);
    const index = IndexName === undefined ? "" : `/index/${IndexName}`;
    const { S: partition } = Key?.pk ?? Item?.pk ?? ExpressionAttributeValues?.[":pk"] ?? { S: "" };
    lines.add(`dynamodb:${action} ${name && logical[name]}${index} ${partition}`);
  };
  const aws: Aws = (service, action, input) => {
    const { TransactItems, RequestItems, ...single } = input as Input;
    for (const [TableName, { Keys }] of Object.entries(RequestItems ?? {}))
      for (const Key of Keys) note(action, { TableName, Key });
    for (const item of TransactItems ?? [])
      for (const [kind, each] of Object.entries(item)) note(`${kind}Item`, each);
    if (!TransactItems && !RequestItems) note(action, single);
    return db.aws(service, action, input);
  };
  return { tasks: createTasks(aws, db.tables, () => now), meters: createMeters(aws, db.tables) };
}

/** The calls that no grant of the role covers. */
function refused(role: Role): string[] {
  const grants = prod.grants(role);
  return [...(asked.get(role) ?? [])].filter((line) => {
    const [action = "", table = "", partition = ""] = line.split(" ");
    return !grants.some((grant) => {
      const [allowed, resource, bound = "*"] = grant.split(" ");
      const starts = bound.replace(/\*$/, "");
      return allowed === action && resource === table && partition.startsWith(starts);
    });
  });
}

test.each([
  ["in time", noon],
  ["late, beside a seal", noon + 3 * 86_400_000],
])("every function may do what a task needs of it, %s", async (_, now) => {
  const meter = await openWallet(db, "10");
  const caller = videoCaller({ wallet: meter, project: "p" });
  const gateway = storeOf("GatewayRole", now);
  const scenario = createVideoScenario(gateway.tasks, gateway.meters);
  const worker = { ...scenario.deps, ...storeOf("VideoTaskRole", now) };
  const sweep = { ...scenario.deps, ...storeOf("SweepRole", now) };
  const step = (task: string, action: "submit" | "poll") =>
    work({ action, task, organization: "org_1", polls: 0 }, worker);

  const made = await orderVideo(scenario, caller);
  await step(made, "submit");
  scenario.provider.tasks.set("cgt-1", "running");
  await step(made, "poll");
  scenario.provider.tasks.set("cgt-1", "succeed");
  await step(made, "poll");
  await showTask(made, caller, scenario.deps);
  await listTasks(new URLSearchParams(), caller, scenario.deps);

  await cancelTask(await orderVideo(scenario, caller), caller, scenario.deps);
  const down = { ...gateway.tasks, create: () => Promise.reject(new Error("store down")) };
  const lost = createVideo({ ...scenario.deps, tasks: down }, videoRequest(scenario), caller);
  await expect(lost).rejects.toThrow("store down");

  for (const intended of [true, false]) {
    const hold = { ...walletHold(meter, "1"), request: taskOf(newId("request", noon)) };
    await meters.admit(hold);
    if (intended) await meters.intend({ ...intentOf(hold), kind: "video" });
  }
  await orderVideo(scenario, caller);
  const broken = await orderVideo(scenario, caller);
  scenario.executions.set(broken, false);
  expect(await repairTasks({ older_than_seconds: 0 }, sweep)).toMatchObject({
    voided: 2,
    driven: 2,
    failed: 0,
  });
  scenario.clock.now += (limits.taskLifetimeSeconds + limits.taskOverdueSeconds) * 1000;
  expect(await repairTasks({}, sweep)).toMatchObject({ expired: 2, failed: 0 });

  for (const role of asked.keys()) {
    expect(asked.get(role)?.size, role).toBeGreaterThan(5);
    expect(refused(role), role).toEqual([]);
  }
});
