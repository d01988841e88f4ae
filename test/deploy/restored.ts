/** The tables of a stage are restored under new names, the stage changes over to them, and back. */
import assert from "node:assert/strict";
import type { KeptTables } from "#infra/stage/given-tables.ts";
import { outputs } from "#infra/stage/outputs.ts";
import { keptTables } from "#shared/edges/store/dynamodb/table-schema.ts";
import { bookedChat } from "./calls.ts";
import { describe } from "./commands.ts";
import type { Deployed, Step } from "./world.ts";

/** The names of the stage's tables by its outputs. */
async function tablesOf({ cloud, stage }: Deployed): Promise<KeptTables> {
  const seen = await cloud.see(stage);
  return Object.fromEntries(
    keptTables.map((table) => [table, seen.outputs[outputs[`${table}Table` as const]] ?? ""]),
  ) as KeptTables;
}

async function balanceOf({ client }: Deployed): Promise<unknown> {
  return (await client.ask("GET", "/api/business/v1/customer/balance")).json.balance_points;
}

/** Deploys the stage onto tables by name. The addresses that clients and operators know stay. */
async function changeOver(on: Deployed, tables: KeptTables): Promise<void> {
  const { commands, catalogs, cloud, stage, seen } = on;
  const outcome = await commands.deploy(stage, { catalog: catalogs.first, tables });
  assert.equal(outcome.code, 0, describe(outcome));
  assert.match(outcome.error, /changes over to other tables\. Calls must be stopped/);
  const after = await cloud.see(stage);
  assert.equal(after.outputs.GatewayUrl, seen.outputs.GatewayUrl);
  assert.deepEqual(await tablesOf(on), tables);
}

/** Steps after a customer's calls. */
export const restored: Step<Deployed>[] = [
  [
    "a restore makes five tables with their settings, loses nothing, and its audit is clean",
    async (on) => {
      const { commands, cloud, stage } = on;
      const before = await tablesOf(on);
      const dry = await commands.operator(
        stage,
        "restore",
        "--at",
        "latest",
        "--suffix",
        "drill",
        "--dry-run",
      );
      assert.equal((dry.steps as string[])[0]?.startsWith("RestoreTableToPointInTime "), true);
      const report = await commands.operator(stage, "restore", "--at", "latest", "--suffix", "drill");
      const { ok, tables, calls, keys_valid_again: valid, caches_emptied: caches } = report;
      // The customer's organization, and those of people.ts and operating.ts.
      assert.deepEqual({ ok, calls, valid, caches }, { ok: true, calls: [], valid: [], caches: 3 });
      assert.deepEqual(await tablesOf(on), before);
      const names = Object.values(tables as Record<string, string>);
      assert.deepEqual(
        names,
        keptTables.map((table) => `model-gateway-${stage}-${table}-drill`),
      );
      const kept = await cloud.protectedTables(stage);
      assert.deepEqual(
        names.filter((name) => !kept.includes(name)),
        [],
      );
    },
  ],
  [
    "the stage changes over to them, and nobody is refused",
    async (on) => {
      const { cloud, commands, emulator, stage } = on;
      const own = await tablesOf(on);
      const balance = await balanceOf(on);
      const drill = Object.fromEntries(
        keptTables.map((table) => [table, `model-gateway-${stage}-${table}-drill`]),
      ) as KeptTables;
      await changeOver(on, drill);
      assert.equal(await balanceOf(on), balance);
      const { cost_points: cost } = await bookedChat(on);
      assert.notEqual(cost, "0");
      assert.notEqual(await balanceOf(on), balance);
      assert.equal((await commands.operator(stage, "audit")).ok, true);
      // The tables of before are still there, protected, and none of the stack's.
      const kept = await cloud.protectedTables(stage);
      for (const name of Object.values(own)) assert.ok(kept.includes(name), name);
      const { names } = await cloud.see(stage);
      assert.deepEqual(
        [...names].filter(([, { name }]) => Object.values(own).includes(name)),
        [],
      );
      assert.deepEqual(emulator.takeDenials(), []);
      // And the stage goes back to them.
      await changeOver(on, own);
      assert.equal(await balanceOf(on), balance);
    },
  ],
  [
    "a deployment that names no tables any more is refused, and changes nothing",
    async (on) => {
      const { commands, catalogs, stage } = on;
      const before = await tablesOf(on);
      const outcome = await commands.deploy(stage, { catalog: catalogs.first });
      assert.equal(outcome.code, 1, describe(outcome));
      assert.match(outcome.error, /uses tables by name, and .*prod\.json has no "tables"/);
      assert.deepEqual(await tablesOf(on), before);
      assert.equal((await bookedChat(on)).status, "settled");
    },
  ],
];
