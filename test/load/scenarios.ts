/** The loads that `npm run load-model` plays, each for an hour. */
import { dynamo } from "./facts.ts";
import { type Account, firstAccount, type Load, type Population } from "./world.ts";

export interface Scenario extends Load {
  group: string;
  name: string;
}

const hour = 3_600;

/** An account whose operator has asked AWS for all that an hour of any load here needs. */
const asked: Account = {
  ...firstAccount,
  concurrency: 60_000,
  writeUnits: dynamo.quota,
  readUnits: dynamo.quota,
};

/** One that has asked for a higher quota of each table besides. */
const askedMore: Account = { ...asked, writeUnits: 100_000, readUnits: 100_000 };

function scenario(group: string, name: string, population: Population, account = asked): Scenario {
  return { group, name, populations: [population], account, seconds: hour, seed: 1 };
}

const spoken = (count: number) => count.toLocaleString("en");

/** One organization at these rates, with calls of so many seconds. */
function oneAt(
  group: string,
  callSeconds: number,
  rates: readonly number[],
  more: Pick<Population, "keys" | "budgets">,
  account = asked,
): Scenario[] {
  return rates.map((callsPerSecond) =>
    scenario(
      group,
      `${spoken(callsPerSecond)} of ${callSeconds} s`,
      { organizations: 1, callsPerSecond, callSeconds, ...more },
      account,
    ),
  );
}

const rates = [250, 500, 1_000, 5_000];
const [oneKey, keys, budgets, budgetsOfMore, levels, levelsOfMore] = [
  "One organization, one key",
  "One organization, 100 keys",
  "One organization, 100 keys with budgets",
  "The same, with a quota of 100,000 units a table",
  "One organization, 100 keys, budgets of five levels: 311 counters",
  "Five levels, with a quota of 100,000 units a table",
];
const burst = { factor: 10, seconds: 60, every: 900 };
const many = { organizations: 200, keys: 1 };

export const scenarios: readonly Scenario[] = [
  ...oneAt(oneKey, 5, rates, { keys: 1 }),
  ...oneAt(oneKey, 0.25, rates, { keys: 1 }),
  ...oneAt(keys, 5, [1_000, 5_000], { keys: 100 }),
  ...oneAt(keys, 0.25, [1_000, 5_000], { keys: 100 }),
  ...oneAt(budgets, 5, [250, 1_000, 5_000], { keys: 100, budgets: "keys" }),
  ...oneAt(budgets, 0.25, [250, 1_000, 5_000], { keys: 100, budgets: "keys" }),
  ...[5, 0.25].flatMap((seconds) =>
    oneAt(budgetsOfMore, seconds, [5_000], { keys: 100, budgets: "keys" }, askedMore),
  ),
  ...[5, 0.25].flatMap((seconds) => oneAt(levels, seconds, [250, 1_000], { keys: 100, budgets: "levels" })),
  ...[5, 0.25].flatMap((seconds) =>
    oneAt(levelsOfMore, seconds, [2_500, 5_000], { keys: 100, budgets: "levels" }, askedMore),
  ),
  ...[5, 0.25].map((callSeconds) =>
    scenario("200 organizations together", `10,000 of ${callSeconds} s`, {
      ...many,
      callsPerSecond: 10_000,
      callSeconds,
    }),
  ),
  scenario("Ten times as many for a minute in 15", "500 of one organization, 0.25 s", {
    organizations: 1,
    keys: 1,
    callsPerSecond: 500,
    callSeconds: 0.25,
    burst,
  }),
  scenario("Ten times as many for a minute in 15", "1,000 of 200 organizations, 5 s", {
    ...many,
    callsPerSecond: 1_000,
    callSeconds: 5,
    burst,
  }),
  ...[250, 1_000].map((callsPerSecond) =>
    scenario(
      "An account and tables as they are at first",
      `${spoken(callsPerSecond)} of 200 organizations, 5 s`,
      { ...many, callsPerSecond, callSeconds: 5 },
      firstAccount,
    ),
  ),
];
