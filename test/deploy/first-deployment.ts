/** A stage is deployed for the first time: once in vain, and then for good. */
import assert from "node:assert/strict";
import { tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import { describe } from "./commands.ts";
import type { Step, World } from "./world.ts";

/** More calls at a time than an account can reserve. AWS says so when the tables are there already. */
const tooManyCalls = 950;

/** Steps that lead from an empty account to a protected stage `prod`. */
export const firstDeployment: Step<World>[] = [
  ["the account is bootstrapped", ({ commands }) => commands.bootstrap()],
  [
    "a first deployment fails, and leaves nothing",
    async ({ commands, cloud, catalogs }) => {
      const settings = { catalog: catalogs.first, gatewayConcurrency: tooManyCalls };
      const outcome = await commands.deploy("prod", settings);
      assert.notEqual(outcome.code, 0);
      assert.match(outcome.out + outcome.error, /leaves less than 100 of 1000 unreserved/);
      const stack = await cloud.find("prod");
      assert.deepEqual(
        [stack?.StackStatus, stack?.EnableTerminationProtection ?? false],
        ["ROLLBACK_COMPLETE", false],
      );
      assert.deepEqual(await cloud.leftOf("prod"), []);
    },
  ],
  [
    "the next one replaces it, though its stack was protected",
    async ({ commands, cloud, catalogs }) => {
      // So `cdk deploy` alone would have left it.
      await cloud.protectStack("prod", true);
      const outcome = await commands.deploy("prod", { catalog: catalogs.first });
      assert.equal(outcome.code, 0, describe(outcome));
      const stack = await cloud.find("prod");
      assert.deepEqual([stack?.StackStatus, stack?.EnableTerminationProtection], ["UPDATE_COMPLETE", true]);
      const kept = Object.values(tableSchemas).filter((schema) => schema.kept);
      assert.equal((await cloud.protectedTables("prod")).length, kept.length);
    },
  ],
];
