/** Writes what a vendor knows of a month as the documents that vendors give. */
import { dayMs, dayOf, hourMs } from "#shared/books/billing/period.ts";
import { formatDecimal } from "#shared/books/billing/points.ts";
import { type TokenCount, tokenCounts } from "#shared/books/ledger/house-cost.ts";
import type { BillFormatName } from "#shared/books/reports/bills/formats/index.ts";
import { type BilledCall, month } from "./month.ts";

/** How a vendor writes. */
export interface Writing {
  /** Decimals of a cost: each line is rounded half up. 12 is exact. */
  decimals: number;
  /** How many hours the vendor's days are from those of UTC. */
  zone: number;
  /** Calls whose rows are written twice. */
  twiceOf?: readonly BilledCall[];
}

export const plainly: Writing = { decimals: 12, zone: 0 };

/** Documents that together tell counts and costs. */
export type BillStyle = "csv" | "openai" | "anthropic" | "focus";
export const billStyles: readonly BillStyle[] = ["csv", "openai", "anthropic", "focus"];

export interface WrittenBill {
  format: BillFormatName;
  text: string;
}

/** A cost of 10⁻¹² as a vendor rounds it, and as a decimal. */
function rounded(cost: bigint, decimals: number): string {
  const unit = 10n ** BigInt(12 - decimals);
  const sign = cost < 0n ? -1n : 1n;
  return formatDecimal(sign * ((sign * cost + unit / 2n) / unit), decimals);
}

/** A group of calls that a vendor writes as one row. */
interface Group {
  day: string;
  model: string;
  credential: string;
  tier: string;
  currency: string;
  calls: BilledCall[];
}

function groupsOf(billed: readonly BilledCall[], { zone, twiceOf = [] }: Writing, style: BillStyle): Group[] {
  const isOf = ({ day, model, credential }: Group, call: BilledCall) =>
    day === dayOf(call.at) &&
    model === call.model &&
    (style === "anthropic" || credential === call.credential);
  const groups = new Map<string, Group>();
  for (const call of billed) {
    const day = dayOf(call.at + zone * hourMs);
    if (!day.startsWith(month)) continue;
    const { model, credential, tier, currency, correction } = call;
    const key = JSON.stringify([day, model, credential, tier, currency, correction]);
    const known = groups.get(key);
    if (known) known.calls.push(call);
    else groups.set(key, { day, model, credential, tier, currency, calls: [call] });
  }
  const all = [...groups.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
  return [...all, ...all.filter((group) => twiceOf.some((call) => isOf(group, call)))];
}

const count = (group: Group, name: TokenCount) =>
  group.calls.reduce((sum, { tokens }) => sum + tokens[name], 0);
const cost = (group: Group, name: TokenCount) =>
  group.calls.reduce((sum, { costs }) => sum + costs[name], 0n);
const whole = (group: Group) => tokenCounts.reduce((sum, name) => sum + cost(group, name), 0n);
const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;
const nextDay = (day: string) => dayOf(Date.parse(`${day}T00:00:00Z`) + dayMs);

/** The documents of a month in a style. */
export function written(style: BillStyle, billed: readonly BilledCall[], writing: Writing): WrittenBill[] {
  return writers[style](groupsOf(billed, writing, style), writing);
}

const writers: Readonly<Record<BillStyle, (groups: Group[], writing: Writing) => WrittenBill[]>> = {
  csv(groups, { decimals }) {
    const head =
      "day,model,credential,tier,requests,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost,currency";
    const rows = groups.map((group) =>
      [
        ...[group.day, group.model, group.credential, group.tier, group.calls.length],
        ...tokenCounts.map((name) => count(group, name)),
        ...[rounded(whole(group), decimals), group.currency],
      ].join(),
    );
    return [{ format: "csv", text: `${[head, ...rows].join("\r\n")}\r\n` }];
  },

  openai(groups, { decimals }) {
    const usage = pageOf(groups, (group) => [
      {
        object: "organization.usage.completions.result",
        input_tokens:
          count(group, "input_tokens") +
          count(group, "cache_read_tokens") +
          count(group, "cache_write_tokens"),
        input_cached_tokens: count(group, "cache_read_tokens"),
        input_cache_write_tokens: count(group, "cache_write_tokens"),
        output_tokens: count(group, "output_tokens"),
        num_model_requests: group.calls.length,
        ...{ project_id: null, user_id: null, api_key_id: group.credential, model: group.model },
        ...{
          batch: group.tier === "batch",
          service_tier: group.tier === "batch" ? null : group.tier || "default",
        },
      },
    ]);
    const names = {
      input_tokens: "input",
      output_tokens: "output",
      cache_read_tokens: "cached input",
      cache_write_tokens: "cache write",
    };
    const costs = pageOf(groups, (group) =>
      tokenCounts.map((name) => ({
        object: "organization.costs.result",
        amount: {
          value: JSON.rawJSON(rounded(cost(group, name), decimals)),
          currency: group.currency.toLowerCase(),
        },
        line_item: `${group.model}, ${names[name]}`,
        ...{ project_id: null, api_key_id: group.credential },
      })),
    );
    return [
      { format: "openai-usage", text: usage },
      { format: "openai-costs", text: costs },
    ];
  },

  anthropic(groups, { decimals }) {
    const kinds = {
      input_tokens: "uncached_input_tokens",
      output_tokens: "output_tokens",
      cache_read_tokens: "cache_read_input_tokens",
      cache_write_tokens: "cache_creation.ephemeral_5m_input_tokens",
    };
    const usage = reportOf(groups, (group) => [
      {
        uncached_input_tokens: count(group, "input_tokens"),
        cache_creation: {
          ephemeral_1h_input_tokens: 0,
          ephemeral_5m_input_tokens: count(group, "cache_write_tokens"),
        },
        cache_read_input_tokens: count(group, "cache_read_tokens"),
        output_tokens: count(group, "output_tokens"),
        server_tool_use: { web_search_requests: 0 },
        ...{ api_key_id: group.credential, workspace_id: null, model: group.model, context_window: "0-200k" },
        service_tier: group.tier || "standard",
      },
    ]);
    // It tells no keys.
    const merged = [
      ...Map.groupBy(groups, ({ day, model, tier, currency }) =>
        JSON.stringify([day, model, tier, currency]),
      ).values(),
    ].flatMap((alike) => {
      const distinct = [...new Set(alike)];
      const one = { ...distinct[0], calls: distinct.flatMap(({ calls }) => calls) } as Group;
      return alike.length > distinct.length ? [one, one] : [one];
    });
    const costs = reportOf(merged, (group) =>
      tokenCounts.map((name) => ({
        amount: rounded(cost(group, name) * 100n, Math.max(decimals - 2, 0)),
        ...{
          currency: group.currency,
          cost_type: "tokens",
          description: `${group.model} ${name}`,
          model: group.model,
        },
        ...{
          token_type: kinds[name],
          service_tier: group.tier || "standard",
          context_window: "0-200k",
          workspace_id: null,
        },
      })),
    );
    return [
      { format: "anthropic-usage", text: usage },
      { format: "anthropic-costs", text: costs },
    ];
  },

  focus(groups, { decimals }) {
    const head =
      "ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ChargeClass,ServiceName,x_UsageType,x_Credential,ConsumedQuantity,ConsumedUnit,BilledCost,BillingCurrency";
    const kinds = {
      input_tokens: "input-tokens",
      output_tokens: "output-tokens",
      cache_read_tokens: "cache-read-input-token-count",
      cache_write_tokens: "cache-write-input-token-count",
    };
    const rows = groups.flatMap((group) =>
      tokenCounts.map((name) =>
        [
          ...[
            `${group.day}T00:00:00Z`,
            `${nextDay(group.day)}T00:00:00Z`,
            "Usage",
            group.calls[0]?.correction ? "Correction" : "",
          ],
          ...[
            "Amazon Bedrock",
            `USE1-${group.model}-${kinds[name]}${group.tier ? `-${group.tier}` : ""}`,
            group.credential,
          ],
          ...[formatDecimal(BigInt(count(group, name)), 3), "1K tokens"],
          ...[rounded(cost(group, name), decimals), group.currency],
        ].join(),
      ),
    );
    const tax = `${month}-01T00:00:00Z,${month}-02T00:00:00Z,Tax,,Amazon Bedrock,,,,,1.00,USD`;
    return [{ format: "focus", text: [head, ...rows, tax, ""].join("\n") }];
  },
};

/** OpenAI's page with a bucket for each day. */
function pageOf(groups: Group[], resultsOf: (group: Group) => object[]): string {
  const data = days(groups).map((day) => ({
    object: "bucket",
    ...{ start_time: seconds(day), end_time: seconds(nextDay(day)) },
    results: groups.filter((group) => group.day === day).flatMap(resultsOf),
  }));
  return JSON.stringify({ object: "page", data, has_more: false, next_page: null }, null, 1);
}

/** Anthropic's report, in two pages. */
function reportOf(groups: Group[], resultsOf: (group: Group) => object[]): string {
  const data = days(groups).map((day) => ({
    ...{ starting_at: `${day}T00:00:00Z`, ending_at: `${nextDay(day)}T00:00:00Z` },
    results: groups.filter((group) => group.day === day).flatMap(resultsOf),
  }));
  return JSON.stringify([
    { data: data.slice(0, 20), has_more: true, next_page: "page_2" },
    { data: data.slice(20), has_more: false, next_page: null },
  ]);
}

/** Every day of the month: vendors give empty buckets too. */
function days(groups: Group[]): string[] {
  const all = new Set(groups.map(({ day }) => day));
  for (let at = Date.parse(`${month}-01T00:00:00Z`); dayOf(at).startsWith(month); at += dayMs)
    all.add(dayOf(at));
  return [...all].sort();
}
