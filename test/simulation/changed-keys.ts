/**
 * Customers whose key is changed while its calls run. Its budget is lowered and raised on a wallet of several shards. It
 * gets other secrets, and is disabled and enabled. What becomes of a change depends on who dies in the middle of it.
 */
import "./small-parts.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyChange, KeyRecord } from "#shared/books/accounts/account.ts";
import { disabled, enabled } from "#shared/edges/api/key-changes.ts";
import { rotationOf } from "#shared/edges/api/key-rotation.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { callModel } from "./calls.ts";
import { KeyHistory } from "./key-history.ts";
import { drawScript } from "./provider.ts";
import type { Random } from "./random.ts";
import type { Key, World } from "./world.ts";

const budgets = ["0.003", "0.006", "0.02", "0.2"];

/** Opens one in five seeds, and gives its key, which nobody else calls by. */
export async function openChanging(world: World, seed: number, random: Random): Promise<Key | undefined> {
  if (seed % 5 !== 2) return undefined;
  const organization = await world.addOrganization({ points: random.pick(["0.05", "1"]) });
  const shards = random.pick([1, 2, 4, 4]);
  if (shards > 1) await tendWallet(organization.id, shards, world.quietly);
  const points = random.pick(["0.006", "0.02", "0.02", "0.2"]);
  const period = random.pick(["day", "month", "total"] as const);
  const limits = { budget_points: points, budget_period: period };
  const key = await world.addKey(organization, "payg", "", limits);
  world.keys.splice(world.keys.indexOf(key), 1);
  if (shards > 1) await spread(world, key);
  const { gatewaySkewMs } = world.cloud.weather;
  return { ...key, history: new KeyHistory({ secret: key.secret, points }, gatewaySkewMs) };
}

/** Gives all shards parts of the key's budget, as calls do sooner or later. */
async function spread(world: World, { record, organization }: Key): Promise<void> {
  const { id: key, mode, limits } = record;
  const at = world.scheduler.now;
  const asked = { request: newId("request", at), at, points: 10n ** 15n, tokens: 0, planLimits: null };
  const meter = organization.wallet?.meter ?? "";
  await world.quietly.meters.gather({ ...asked, key, mode, meter, shard: 1, ...(limits && { limits }) }, 1);
}

/** What is done with the key: calls by any of its secrets, changes of it, and shards that come and go. */
export function planChanges(world: World, key: Key, random: Random): void {
  const within = random.pick([50, 500, 5_000, 60_000, 600_000]);
  const soon = (act: () => void) => world.scheduler.after(random.between(0, within), null, act);
  const call = (after: number) => {
    const how = {
      ...{ stream: random.chance(0.5), strict: false, stallsAfter: Infinity, timeMs: 120_000, hardEnd: true },
      leavesAfter: random.chance(0.1) ? 1 : Infinity,
    };
    const script = drawScript(random);
    const which = random.pick([0, 0, 1, 2]);
    const act = () => void callModel(world, bySecret(world, key, which), script, how);
    world.scheduler.after(after, null, act);
  };
  for (let left = random.between(6, 14); left > 0; left--) call(random.between(0, within));
  for (let left = random.between(1, 4); left > 0; left--) soon(drawChange(world, key, random));
  // The last change is a low budget, and then many calls come at once.
  if (random.chance(0.6)) {
    world.scheduler.after(within, null, budgetChange(world, key, "0.003"));
    const later = within + random.between(20, 2_000);
    for (let left = random.between(6, 12); left > 0; left--) call(later + random.between(0, 50));
  }
  for (let left = random.pick([0, 0, 1, 2]); left > 0; left--) {
    const count = random.between(1, 4);
    soon(() => world.act("operator", (ports) => tendWallet(key.organization.id, count, ports)));
  }
}

/** The key as a client has it: by its newest secret, or by one so much older. */
function bySecret(world: World, key: Key, older: number): Key {
  const secrets = key.history?.secrets(world.scheduler.now) ?? [];
  return { ...key, secret: secrets.at(-1 - older) ?? secrets[0] ?? key.secret };
}

/** One of the changes, as it is asked for when its time has come. */
function drawChange(world: World, key: Key, random: Random): () => void {
  const { history } = key;
  if (!history) throw new Error("a key without a history is never changed");
  const kind = random.pick(["budget", "budget", "rotate", "switch"] as const);
  const points = random.pick(budgets);
  const [overlapMs, number] = [random.pick([0, 1_000, 600_000]), random.between(0, 10 ** 9)];
  const isTwice = random.chance(0.7);
  if (kind === "budget") return budgetChange(world, key, points);
  if (kind === "rotate") {
    const secret = `sk-payg-${String(number).padStart(43, "1")}`;
    return () =>
      change(
        world,
        key,
        history.rotation(secret, overlapMs, world.scheduler.now),
        rotating(world, secret, overlapMs),
      );
  }
  const turn = (to: "active" | "disabled", of: (record: KeyRecord) => KeyRecord) =>
    change(world, key, history.switch(to, world.scheduler.now), () => ({
      kind: `key_${to === "active" ? "enabled" : "disabled"}`,
      of,
    }));
  return () => {
    turn("disabled", (record) => disabled(record, "operator"));
    if (isTwice) world.scheduler.after(random.between(0, 5_000), null, () => turn("active", enabled));
  };
}

type Wanted = Omit<KeyChange, "at">;

function budgetChange(world: World, key: Key, points: string): () => void {
  const of: KeyChange["of"] = (record) => ({
    ...record,
    limits: { ...record.limits, budget_points: points },
  });
  const wanted = () => ({ kind: "key_changed" as const, of });
  return () => {
    const answer = key.history?.budget(points, world.scheduler.now);
    if (answer) change(world, key, answer, wanted);
  };
}

function rotating(world: World, secret: string, overlapMs: number): () => Promise<Wanted> {
  const made = { secret, last_four: secret.slice(-4) };
  const secrets = world.pepperSecret.ofProcess();
  return async () => {
    const peppers = await secrets.peppers();
    const rotation = rotationOf(made, { overlap: overlapMs / 1000 }, peppers, () => world.scheduler.now);
    return { ...rotation.change, of: rotation.of };
  };
}

/** Somebody changes the key, who may die meanwhile, or meet others. */
function change(
  world: World,
  { record, organization }: Key,
  answer: (at: number) => void,
  wanted: () => Wanted | Promise<Wanted>,
): void {
  world.act("operator", async ({ accounts }) => {
    const made = await accounts.changeKey(organization.id, record.id, {
      ...(await wanted()),
      at: world.scheduler.now,
    });
    if (made) answer(world.scheduler.now);
  });
}
