/** Faults of a vendor's bill, or of our books beside it: twelve kinds with a name, and one that has none. */
import { dayMs, dayOf, hourMs } from "#shared/books/billing/period.ts";
import { tokenCounts } from "#shared/books/ledger/house-cost.ts";
import { type BillAmounts, plus } from "#shared/books/reports/bills/amounts.ts";
import type { BillCauseName } from "#shared/books/reports/bills/compare/cell.ts";
import type { OurAttempt } from "#shared/books/reports/bills/ours.ts";
import {
  type BilledCall,
  type BillMonth,
  billedAs,
  costsAt,
  models,
  monthStart,
  type Tokens,
} from "./month.ts";
import type { BillStyle, Writing } from "./writers.ts";

/** A month with what its faults have made of it. */
export interface FaultyMonth extends BillMonth {
  style: BillStyle;
  writing: Writing;
  /** What an earlier bill said, where there was one. */
  before?: BilledCall[];
  /** What the comparison must say, and nothing else. */
  expected: ExpectedCause[];
  /** Days and models that have a fault already. */
  taken: Set<string>;
}

export interface ExpectedCause {
  cause: BillCauseName | "unexplained";
  day: string;
  model: string;
  credential: string;
  amounts: BillAmounts;
}

type Fault = (month: FaultyMonth) => void;

const oneTimes = (amount: bigint) => amount * 10n ** 12n;

/** What a call adds to a bill. */
function amountsOf({ tokens, costs, currency }: BilledCall, style: BillStyle): BillAmounts {
  const counts = Object.fromEntries(tokenCounts.map((name) => [name, BigInt(tokens[name])]));
  const tells = style === "csv" || style === "openai";
  return plus(
    { ...(tells && { requests: 1n }), ...counts, [`cost ${currency}`]: oneTimes(costOf(costs)) },
    {},
  );
}

function costOf(costs: BilledCall["costs"]): bigint {
  return tokenCounts.reduce((sum, name) => sum + costs[name], 0n);
}

function expect(
  month: FaultyMonth,
  cause: ExpectedCause["cause"],
  call: BilledCall,
  amounts: BillAmounts,
): void {
  const { model, credential } = call;
  month.expected.push({ cause, day: dayOf(call.at), model, credential, amounts });
}

/** A call of a day and model without a fault. They are taken then. */
function freeCall(month: FaultyMonth, isWanted: (call: BilledCall) => boolean = () => true): BilledCall {
  const free = month.billed.filter((call) => isFree(month, call) && isWanted(call));
  const call = free[month.random(free.length)];
  if (!call) throw new Error("no call is free");
  take(month, call);
  return call;
}

function isFree({ taken }: FaultyMonth, { at, model }: BilledCall): boolean {
  const day = dayOf(at);
  return day.startsWith("2026-11") && !taken.has(day + model) && !taken.has(model);
}

function take({ taken }: FaultyMonth, { at, model }: BilledCall): void {
  taken.add(dayOf(at) + model);
}

const sameCell = (one: BilledCall) => (other: BilledCall) =>
  dayOf(one.at) === dayOf(other.at) && one.model === other.model && one.credential === other.credential;

/** A model that no fault has. */
function freeModel(month: FaultyMonth): string {
  const free = Object.keys(models).filter(
    (model) => !month.taken.has(model) && ![...month.taken].some((each) => each.endsWith(model)),
  );
  const model = free[month.random(free.length)];
  if (model === undefined) throw new Error("no model is free");
  month.taken.add(model);
  return model;
}

const isIn = ({ at }: { at: number }) => dayOf(at).startsWith("2026-11");

export const faults = {
  rounding(month) {
    month.writing = { ...month.writing, decimals: 2 + month.random(5) };
  },

  timed_out_and_billed(month) {
    const unsure = month.attempts.filter(
      (each) => each.tokens === null && isIn(each) && isFree(month, billedAs(each, noTokens)),
    );
    const attempt = unsure[month.random(unsure.length)];
    if (!attempt) throw new Error("no attempt broke off");
    const tokens = { ...noTokens, input_tokens: attempt.prompt ?? 0, output_tokens: 1 + month.random(9_000) };
    const call = { ...billedAs(attempt, tokens), call: undefined };
    take(month, call);
    month.billed.push(call);
    expect(month, "timed_out_and_billed", call, amountsOf(call, month.style));
  },

  /** The last of several: what changes after it was said by the earlier bill otherwise too. */
  late_correction(month) {
    const call = freeCall(month);
    month.before = [...month.billed];
    const more = { ...billedAs(attemptOf(month, call), someTokens(month)), call: undefined };
    month.billed.push(more);
    expect(month, "late_correction", call, amountsOf(more, month.style));
  },

  other_price(month) {
    const model = freeModel(month);
    const from = monthStart + month.random(15) * dayMs;
    const percent = [50n, 80n, 110n, 125n][month.random(4)] ?? 50n;
    change(
      month,
      (call) => call.model === model && call.at >= from,
      (call) => {
        const costs = scaled(call, percent);
        const amount = costOf(costs) - costOf(call.costs);
        if (isIn(call)) expect(month, "other_price", call, { "cost USD": oneTimes(amount) });
        return { ...call, costs };
      },
    );
  },

  tier(month) {
    const chosen = freeCall(month);
    change(
      month,
      (call) => call === chosen,
      (call) => {
        const costs = scaled(call, 50n);
        expect(month, "tier", call, { "cost USD": oneTimes(costOf(costs) - costOf(call.costs)) });
        return { ...call, costs, tier: "batch" };
      },
    );
  },

  cache_rule(month) {
    const chosen = freeCall(month, ({ tokens }) => tokens.cache_read_tokens > 0);
    change(month, sameDay(chosen), (call) => {
      const { cache_read_tokens: reads, input_tokens } = call.tokens;
      if (reads === 0) return call;
      const tokens = { ...call.tokens, input_tokens: input_tokens + reads, cache_read_tokens: 0 };
      const counted = { ...call, tokens, costs: costsAt(tokens, ratesOf(call)) };
      const moved = plus(amountsOf(counted, month.style), amountsOf(call, month.style), -1n);
      expect(month, "cache_rule", call, moved);
      return counted;
    });
  },

  day_boundary(month) {
    const call = freeCall(month, (each) => isFree(month, { ...each, at: each.at + dayMs }));
    const attempt = attemptOf(month, call);
    const midnight = Math.ceil(call.at / dayMs) * dayMs;
    // It came just before midnight, and the vendor counts its end.
    Object.assign(attempt, { at: midnight - 1000, ended_at: midnight + 2000 });
    const amounts = amountsOf(call, month.style);
    const next = { ...call, at: midnight + 2000 };
    month.billed = month.billed.map((each) => (each === call ? next : each));
    take(month, next);
    expect(month, "day_boundary", { ...call, at: midnight - 1000 }, plus({}, amounts, -1n));
    expect(month, "day_boundary", next, amounts);
  },

  not_ours(month) {
    const model = Object.keys(models)[month.random(3)] ?? "";
    const call = freeCall(month, (each) => month.random(2) === 0 || each.model === model);
    const other = month.random(2) === 0 && !month.style.includes("anthropic");
    const more = { ...billedAs(attemptOf(month, call), someTokens(month)), call: undefined };
    const stranger = { ...more, ...(other && { credential: "SOMEBODY_ELSE" }) };
    month.billed.push(stranger);
    expect(month, "not_ours", stranger, amountsOf(stranger, month.style));
  },

  missing_there(month) {
    const call = freeCall(month);
    const isWhole = month.random(2) === 0;
    const gone = isWhole ? month.billed.filter(sameCell(call)) : [call];
    month.billed = month.billed.filter((each) => !gone.includes(each));
    for (const each of gone)
      expect(month, "missing_there", call, plus({}, amountsOf(each, month.style), -1n));
  },

  /** Which row it is, is known when the rows are. */
  duplicate_line(month) {
    const call = freeCall(month);
    // A report that tells no keys has one row for all of them.
    const again = month.billed.filter(month.style === "anthropic" ? sameDay(call) : sameCell(call));
    for (const each of again) expect(month, "duplicate_line", call, amountsOf(each, month.style));
    month.writing = { ...month.writing, twiceOf: [...(month.writing.twiceOf ?? []), call] };
  },

  currency(month) {
    const model = freeModel(month);
    change(
      month,
      (call) => call.model === model,
      (call) => {
        const other = { ...call, costs: scaled(call, 700n), currency: "CNY" };
        if (isIn(call))
          expect(month, "currency", call, {
            "cost CNY": oneTimes(costOf(other.costs)),
            "cost USD": -oneTimes(costOf(call.costs)),
          });
        return other;
      },
    );
  },

  unknown(month) {
    const model = freeModel(month);
    for (const attempt of month.attempts)
      if (attempt.model === model) Object.assign(attempt, { cost: null, rates: null });
    for (const call of month.billed.filter((each) => each.model === model && isIn(each)))
      expect(month, "unknown", call, { "cost USD": oneTimes(costOf(call.costs)) });
  },
} as const satisfies Record<BillCauseName, Fault>;

/** All days are those of another zone. It is a fault of every cell, so it stands alone. */
export function otherZone(month: FaultyMonth): void {
  const hours = [-8, -7, 8, 9][month.random(4)] ?? -8;
  month.writing = { ...month.writing, zone: hours };
  for (const call of month.billed) {
    const [ours, theirs] = [dayOf(call.at), dayOf(call.at + hours * hourMs)];
    if (ours === theirs) continue;
    const amounts = amountsOf(call, month.style);
    if (theirs.startsWith("2026-11"))
      expect(month, "day_boundary", { ...call, at: call.at + hours * hourMs }, amounts);
    if (ours.startsWith("2026-11")) expect(month, "day_boundary", call, plus({}, amounts, -1n));
  }
}

/** A cost that follows no rule: nobody can say why, and nobody may. */
export function withoutReason(month: FaultyMonth): void {
  const chosen = freeCall(month);
  const more = BigInt(1 + month.random(9)) * 10n ** 11n + 123_456_789n;
  change(
    month,
    (call) => call === chosen,
    (call) => {
      expect(month, "unexplained", call, { "cost USD": oneTimes(more) });
      return { ...call, costs: { ...call.costs, input_tokens: call.costs.input_tokens + more } };
    },
  );
}

const noTokens: Tokens = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

const sameDay = (one: BilledCall) => (other: BilledCall) =>
  dayOf(one.at) === dayOf(other.at) && one.model === other.model;

function ratesOf({ model }: BilledCall) {
  const rates = models[model];
  if (!rates) throw new Error(`no rates of ${model}`);
  return rates;
}

/** More than any prompt that broke off, so that it cannot be one. */
function someTokens({ random }: FaultyMonth): Tokens {
  return { ...noTokens, input_tokens: 900_000 + random(90_000), output_tokens: 10_000 + random(90_000) };
}

function scaled({ costs }: BilledCall, percent: bigint): BilledCall["costs"] {
  return Object.fromEntries(
    tokenCounts.map((name) => [name, (costs[name] * percent) / 100n]),
  ) as BilledCall["costs"];
}

function change(
  month: FaultyMonth,
  isMeant: (call: BilledCall) => boolean,
  to: (call: BilledCall) => BilledCall,
): void {
  month.billed = month.billed.map((call) => (isMeant(call) ? to(call) : call));
}

function attemptOf({ attempts }: FaultyMonth, { call }: BilledCall): OurAttempt {
  const attempt = attempts.find((each) => each.call === call);
  if (!attempt) throw new Error(`no attempt of ${call}`);
  return attempt;
}
