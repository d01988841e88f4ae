/** Customers whose calls five levels bound: organization, project, member, key and end customer. */
import "./small-parts.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { BudgetLevel, KeyLimits, LevelBudget } from "#shared/books/accounts/account.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { callModel } from "./calls.ts";
import { BudgetHistory } from "./key-history.ts";
import { drawLongScript, drawScript } from "./provider.ts";
import type { Random } from "./random.ts";
import { resize } from "./shared-budgets.ts";
import type { Key, World } from "./world.ts";

/** Of the two projects, members and end customers that there are, the first of each has a budget, but for customers. */
const users = ["ann", "bob"];
const periods = ["day", "month", "total"] as const;
const amounts = ["0.0015", "0.003", "0.006", "0.02", "0.6"];

/** Whether a seed has such customers. One of five has. */
export function hasLevels(seed: number): boolean {
  return seed % 10 === 7 || seed % 10 === 8;
}

/** Opens one in such a seed, and gives its keys. A cheap call holds a thousandth of a point. */
export async function openLevels(world: World, seed: number, random: Random): Promise<Key[]> {
  if (!hasLevels(seed)) return [];
  const bought = random.pick([
    { points: random.pick(["0.02", "1"]) },
    { points: random.pick(["0.02", "1"]) },
    { plan: "pro" },
  ]);
  const opened = await world.addOrganization(bought);
  const members = [newId("user", world.scheduler.now), newId("user", world.scheduler.now)];
  const ids: [BudgetLevel, string][] = [
    ["organization", ""],
    ["project", "p"],
    ["member", members[0] ?? ""],
    ["customer", ""],
  ];
  const budgets = ids.flatMap(([level, id]): LevelBudget[] =>
    random.chance(0.7) ? [{ level, id, points: random.pick(amounts), period: random.pick(periods) }] : [],
  );
  const change = { before: undefined, after: budgets, at: world.scheduler.now };
  await world.quietly.accounts.changeBudgets(opened.id, change);
  const organization = { ...opened, budgets };
  if (opened.wallet) await tendWallet(opened.id, random.between(1, 4), world.quietly);
  const mode = opened.wallet ? "payg" : "subscription";
  const keys: Key[] = [];
  const levels = new Map(
    budgets
      .filter(({ level }) => level !== "customer")
      .map(({ level, points }) => [level, new BudgetHistory(points)] as const),
  );
  for (const [at, project] of ["p", "q", random.pick(["p", ""])].entries()) {
    const own: KeyLimits = {
      ...(random.chance(0.3) && { budget_points: random.pick(amounts), budget_period: random.pick(periods) }),
      ...(random.chance(0.2) && { max_concurrency: random.between(1, 3) }),
    };
    const limits = Object.keys(own).length > 0 ? own : null;
    keys.push(await world.addKey(organization, mode, project, limits, members[at % 2]));
  }
  for (const key of keys) key.levels = levels;
  return keys;
}

/** Another budget of a level, as it is asked for when its time has come. Somebody changes it, who may die meanwhile. */
function drawChange(world: World, [key]: Key[], random: Random): () => void {
  const [level, history] = random.pick([...(key?.levels ?? [])]) ?? [];
  const points = random.pick(amounts);
  return () => {
    const answer = history?.budget(points, world.scheduler.now);
    if (!key || !answer) return;
    world.act("operator", async ({ accounts }) => {
      const { budgets: before } = (await accounts.organization(key.organization.id)) ?? {};
      const after = before?.map((row) => (row.level === level ? { ...row, points } : row)) ?? [];
      const change = { before, after, at: world.scheduler.now };
      if (await accounts.changeBudgets(key.organization.id, change)) answer(world.scheduler.now);
    });
  };
}

/** What is done with the keys: rushes of calls of both customers and of none, and shards and budgets that change meanwhile. */
export function planLevels(world: World, keys: Key[], random: Random): void {
  const within = random.pick([50, 50, 500, 60_000]);
  const strict = random.pick([0, 0, 0.4]);
  for (let left = random.between(6, 16); left > 0; left--) {
    const user = random.pick([...users, undefined]);
    const how = {
      stream: random.chance(0.7),
      strict: random.chance(strict),
      leavesAfter: random.chance(0.1) ? 1 : Infinity,
      stallsAfter: Infinity,
      timeMs: 120_000,
      hardEnd: true,
      ...(user !== undefined && { user }),
    };
    const script = how.strict ? drawLongScript(random) : drawScript(random);
    const key = random.pick(keys);
    world.scheduler.after(random.between(0, within), null, () => void callModel(world, key, script, how));
  }
  for (let left = random.pick([0, 0, 1, 3]); left > 0; left--)
    world.scheduler.after(random.between(0, within), null, drawChange(world, keys, random));
  // Passes look at thresholds while calls run, some of them at once.
  for (let left = random.pick([0, 3, 6]); left > 0; left--)
    world.scheduler.after(random.between(0, 2 * within), null, () => world.sweep(0));
  const organization = keys[0]?.organization;
  if (!organization?.wallet) return;
  for (let left = random.pick([0, 1, 3]); left > 0; left--)
    world.scheduler.after(random.between(0, within), null, () => resize(world, organization, random));
}
