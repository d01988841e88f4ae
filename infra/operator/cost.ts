/** The operator's command that says what AWS charges for a load (infra/cost/cost.md). It asks nobody. */

import { nearest } from "#shared/base/platform/nearest.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import { crossingOf, fargateLines } from "../cost/fargate.ts";
import {
  assumed,
  type CostLine,
  callsAtATime,
  idleLines,
  loadLines,
  type MonthlyLoad,
  pollsWithin,
  secondsOfMonth,
} from "../cost/load.ts";
import { readParts } from "../cost/parts.ts";
import { functionSizes } from "../stage/function-sizes.ts";
import {
  type CommandCall,
  type CommandGroup,
  type CommandOutcome,
  command,
  flagOf,
  needed,
} from "./command.ts";
import { readCatalog } from "./stores.ts";

/** Of a stream of some 500 tokens, whose every token is a frame of 200 bytes. */
const usualAnswerKilobytes = 100;

const usualMemoryMb = functionSizes.gateway.memoryMb;

/** Reads a decimal above 0. */
function amount(text: string, name: string): number {
  const value = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value <= 0) throw new Error(`${name} takes a number above 0`);
  return value;
}

const flags = {
  "calls-per-second": needed(
    flagOf("N", "how many calls begin in a second, on average over the month", amount),
  ),
  seconds: needed(flagOf("S", "how long a call lasts; of a video, how long it is made", amount)),
  model: needed(flagOf("M", "the model that is called", (text) => text)),
  "memory-mb": flagOf(
    "N",
    `the memory of the gateway's function, as its stage file says; ${usualMemoryMb} if not given`,
    amount,
  ),
  "answer-kilobytes": flagOf("N", `how large an answer is; ${usualAnswerKilobytes} if not given`, amount),
};

const cost = command({
  words: "cost",
  what: "says what AWS charges a month for a load, service by service, and for a stage that nobody calls",
  more: "The prices are those of us-east-1, each with its day and page in infra/cost/prices.ts. Free tiers, taxes and the providers' own bills are left out. It needs no gateway.",
  flags,
  examples: {
    "--calls-per-second 10 --seconds 5 --model openai/gpt-5.4-mini": "streams of 5 s",
    "--calls-per-second 0.1 --seconds 180 --model volcengine/doubao-seedance-1-5-pro-251215":
      "videos that take three minutes",
  },
  run: costOf,
});

async function costOf(call: CommandCall<typeof flags>): Promise<CommandOutcome> {
  const value = await billOf(call);
  return { value, shown: shownOf(value) };
}

async function billOf({ flags: given, catalogFile }: CommandCall<typeof flags>) {
  const { "calls-per-second": callsPerSecond, seconds, model: name } = given;
  const catalog = await readCatalog(catalogFile ?? defaultCatalog);
  const model = modelOf(catalog, name);
  const isVideo = model.capabilities.includes("video");
  const answerBytes = 1024 * (given["answer-kilobytes"] ?? (isVideo ? 1 : usualAnswerKilobytes));
  const memoryMb = given["memory-mb"] ?? usualMemoryMb;
  const load: MonthlyLoad = { callsPerSecond, seconds, isVideo, answerBytes, memoryMb };
  const { withConsole, withoutConsole } = readParts();
  const [lines, idle, service] = [loadLines(load), idleLines(withConsole), fargateLines(load)];
  const at = (linesOf: typeof loadLines) => (rate: number) =>
    sumOf(linesOf({ ...load, callsPerSecond: rate }));
  const calls = callsPerSecond * secondsOfMonth;
  return {
    load: {
      model: model.id,
      calls_a_month: calls,
      at_a_time: callsAtATime(load),
      ...(isVideo && { polls_of_a_task: pollsWithin(seconds) }),
    },
    lines,
    service,
    idle,
    sums: {
      load_usd: sumOf(lines),
      service_usd: sumOf(service),
      service_usd_of_a_million_calls: (1_000_000 * sumOf(service)) / calls,
      service_costs_less_from_calls_per_second: crossingOf(at(loadLines), at(fargateLines)) ?? null,
      idle_usd: sumOf(idle),
      idle_without_console_usd: sumOf(idleLines(withoutConsole)),
      usd_of_a_million_calls: (1_000_000 * sumOf(lines)) / calls,
    },
    assumed: { ...assumed, answer_kilobytes: answerBytes / 1024 },
  };
}

function modelOf(catalog: Catalog, name: string) {
  const model = createCatalog(catalog).find(name);
  if (model) return model;
  const names = catalog.models.map(({ id }) => id);
  const [near] = nearest(name, names);
  throw new Error(`the catalog has no model ${name}${near ? `; did you mean ${near}?` : ""}`);
}

/** Dollars of the lines. */
function sumOf(lines: readonly CostLine[]): number {
  return lines.reduce((sum, { usd }) => sum + usd, 0);
}

const money = (usd: number) => usd.toFixed(2);
const quantity = (many: number) => many.toLocaleString("en", { maximumFractionDigits: many < 100 ? 2 : 0 });

/** The same with amounts as people write them. */
function shownOf({
  load,
  lines,
  service,
  idle,
  sums,
  assumed: taken,
}: Awaited<ReturnType<typeof billOf>>): object {
  const rows = (all: readonly CostLine[]) =>
    all.map(({ service, what, quantity: many, usd, basis }) => ({
      service,
      what,
      quantity: quantity(many),
      usd: money(usd),
      basis,
    }));
  return {
    load: { ...load, calls_a_month: quantity(load.calls_a_month), at_a_time: quantity(load.at_a_time) },
    "dollars a month for the load, behind the function URL": rows(lines),
    "dollars a month for the load, behind a service on Fargate": rows(service),
    "dollars a month for a stage that nobody calls": rows(idle),
    sums: {
      load: money(sums.load_usd),
      "load, behind a service": money(sums.service_usd),
      "of a million calls, behind a service": money(sums.service_usd_of_a_million_calls),
      "a service costs less from, calls a second":
        sums.service_costs_less_from_calls_per_second === null
          ? "never"
          : quantity(sums.service_costs_less_from_calls_per_second),
      idle: money(sums.idle_usd),
      "idle, without a console": money(sums.idle_without_console_usd),
      "of a million calls": money(sums.usd_of_a_million_calls),
    },
    "assumed, because only an account could tell": {
      "seconds in which a hundred events are settled": taken.settleSeconds,
      "seconds of an empty sweep": taken.sweepSeconds,
      "seconds of the call that makes a video": taken.createSeconds,
      "bytes that Lambda logs of a call": taken.platformLogBytes,
      "kilobytes of an answer": taken.answer_kilobytes,
    },
  };
}

export const costs: CommandGroup = { title: "Cost", commands: [cost] };
