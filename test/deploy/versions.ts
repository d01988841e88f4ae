/** A stage that serves gets another version, goes back to the one before, and cannot be deleted by a slip. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { parsePoints } from "#shared/books/billing/points.ts";
import { signed } from "./account.ts";
import { bookedChat } from "./calls.ts";
import { pricedModel } from "./catalogs.ts";
import { describe, type Outcome } from "./commands.ts";
import type { Template } from "./stack.ts";
import type { Deployed, Step, World } from "./world.ts";

/** What a new catalog may change: the code of functions, and the version that an alias names and a canary's alarm watches. */
const changing = ["AWS::CloudWatch::Alarm", "AWS::Lambda::Alias", "AWS::Lambda::Function"];

/** Names and types of the resources that two templates do not share. A function's version has a new name each time. */
function changesBetween(before: Template, after: Template): string[] {
  const ids = new Set([...Object.keys(before.Resources), ...Object.keys(after.Resources)]);
  const changed = [...ids].filter((id) => !isDeepStrictEqual(before.Resources[id], after.Resources[id]));
  return changed.map((id) => (before.Resources[id] ?? after.Resources[id])?.Type ?? "");
}

/** Checks that `npm run diff` shows the same change with the same hash, and the functions whose code differs. */
function toldByDiff(outcome: Outcome, change: string, hash: string): void {
  const { code, out, error } = outcome;
  assert.equal(code, 0, describe(outcome));
  assert.match(out, new RegExp(`^${pricedModel} +input +${change}$`, "m"));
  assert.ok(out.includes(`To deploy this change: --confirm-prices ${hash}\n`), describe(outcome));
  assert.match(out + error, /AWS::Lambda::Function Gateway/);
  assert.doesNotMatch(out + error, /\bOffer\b/);
}

/**
 * Tries to deploy another catalog, which nobody has confirmed. The refusal must show `change`, a regular expression of
 * how the input of the one model changes. Gives the hash that the refusal names.
 */
async function refusedPrices(
  { commands, cloud, stage }: Deployed,
  catalog: string,
  change: string,
): Promise<string> {
  const before = await cloud.see(stage);
  const { code, out, error } = await commands.deploy(stage, { catalog });
  assert.notEqual(code, 0);
  assert.match(error, new RegExp(`^${pricedModel} +input +${change}$`, "m"));
  assert.doesNotMatch(out + error, /deploying\.\.\./);
  assert.deepEqual((await cloud.see(stage)).template, before.template);
  const [, hash = ""] = /To confirm: --confirm-prices ([0-9a-f]{12})/.exec(error) ?? [];
  toldByDiff(await commands.diff(stage), change, hash);
  return hash;
}

/**
 * Deploys a catalog onto the stage with the confirmation of its prices, and checks that nothing but its functions' code
 * has changed.
 */
async function deployCatalog(
  { commands, cloud, stage, seen }: Deployed,
  catalog: string,
  hash: string,
): Promise<void> {
  const before = await cloud.see(stage);
  const outcome = await commands.deploy(stage, { catalog }, "--confirm-prices", hash);
  assert.equal(outcome.code, 0, describe(outcome));
  const after = await cloud.see(stage);
  const types = new Set(changesBetween(before.template, after.template));
  assert.deepEqual([...types].sort(), [...changing, "AWS::Lambda::Version"].sort());
  for (const [id, { type, name }] of seen.names) {
    if (type !== "AWS::Lambda::Version") assert.equal(after.names.get(id)?.name, name, `${id} was replaced`);
  }
  assert.deepEqual(after.outputs, seen.outputs);
}

/** How many versions of the gateway the account has. */
async function keptVersions({ emulator, keys, seen }: Deployed): Promise<number> {
  const [[, gateway] = []] = [...seen.names].filter(
    ([id, { type }]) => type === "AWS::Lambda::Function" && id.startsWith("Gateway"),
  );
  const path = `/2015-03-31/functions/${gateway?.name}/versions`;
  const { text } = await signed(emulator, keys, "lambda", { method: "GET", path });
  const { Versions } = JSON.parse(text) as { Versions: { Version: string }[] };
  return Versions.filter(({ Version }) => Version !== "$LATEST").length;
}

const costOf = async (on: Deployed) => parsePoints(String((await bookedChat(on)).cost_points));

/** Steps from the first catalog to the second and back. */
export const versions: Step<Deployed>[] = [
  [
    "another catalog is deployed once its prices are confirmed: nothing is replaced, and they hold",
    async (on) => {
      const before = await costOf(on);
      const { first, second } = on.catalogs;
      await deployCatalog(on, second, await refusedPrices(on, second, "0\\.75 +1\\.5 +\\+100 %"));
      assert.equal(await costOf(on), 2n * before);
      await deployCatalog(on, first, await refusedPrices(on, first, "1\\.5 +0\\.75 +-50 %"));
      assert.equal(await costOf(on), before);
      assert.ok((await keptVersions(on)) >= 2);
    },
  ],
  [
    "the audit is clean after it, and nobody was refused",
    async ({ commands, stage, emulator }) => {
      assert.equal((await commands.operator(stage, "audit")).ok, true);
      assert.deepEqual(emulator.takeDenials(), []);
    },
  ],
  [
    "the stage is not destroyed",
    async ({ commands, cloud, stage }) => {
      assert.notEqual((await commands.destroy(stage)).code, 0);
      assert.equal((await cloud.find(stage))?.StackStatus, "UPDATE_COMPLETE");
    },
  ],
];

/** Steps of a stage that is tried and thrown away. */
export const trial: Step<World>[] = [
  [
    "a stage dev is deployed, and destroyed to nothing",
    async ({ commands, cloud, catalogs }) => {
      const deployed = await commands.deploy("dev", { catalog: catalogs.first });
      assert.equal(deployed.code, 0, describe(deployed));
      assert.notDeepEqual(await cloud.leftOf("dev"), []);
      const destroyed = await commands.destroy("dev");
      assert.equal(destroyed.code, 0, describe(destroyed));
      assert.equal(await cloud.find("dev"), undefined);
      assert.deepEqual(await cloud.leftOf("dev"), []);
    },
  ],
];
