/** `operator catalog check FILE`: says whether this catalog would deploy, and how old its prices and traits are, and what its plans include. */
import { dayMs } from "../../billing/period.ts";
import { unratedAgentTools } from "../../catalog/agent-tools.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { CatalogError, parseCatalog } from "../../catalog/schema.ts";
import type { StatedTraits } from "../../catalog/traits.ts";
import { limits } from "../../limits.ts";
import { checkPlans } from "./catalog-plans.ts";

export interface CatalogReport {
  ok: boolean;
  /** One line each, path first. */
  problems: readonly string[];
  /**
   * Findings that do not prevent a deploy. There is a line for each price that is old or of unknown age. There is one
   * for each chat model with old traits or none. There is one for each tool of agents that models lack a rate for, and for
   * what nobody has decided of a plan.
   */
  warnings: readonly string[];
  /** What each plan includes, and what a call of it may cost at most. */
  plans: Readonly<Record<string, string>>;
  models: number;
}

/**
 * Checks what the files of a catalog say at `now` (Unix ms), as a deploy does. `located` gives a problem with the place
 * where it stands.
 */
export function checkCatalog(
  given: unknown,
  now: number,
  located = (problem: string) => problem,
): CatalogReport {
  try {
    const catalog = parseCatalog(given);
    const { plans, warnings: ofPlans } = checkPlans(catalog, given);
    const warnings = [
      ...oldPrices(catalog, now),
      ...oldTraits(catalog, now),
      ...unratedAgentTools(catalog),
      ...ofPlans,
    ];
    return { ok: true, problems: [], warnings, plans, models: catalog.models.length };
  } catch (error) {
    return refusedFor(error, located);
  }
}

/** The report of a catalog that a `CatalogError` was thrown for. Throws any other error. */
export function refusedFor(error: unknown, located = (problem: string) => problem): CatalogReport {
  if (!(error instanceof CatalogError)) throw error;
  return { ok: false, problems: error.problems.map(located), warnings: [], plans: {}, models: 0 };
}

/** A line for each model whose price was read over `limits.priceAgeDaysMax` days ago, or on an unknown day. */
function oldPrices({ models }: Catalog, now: number): string[] {
  return models.flatMap(({ id, price_source }) => {
    if (!price_source) return [`${id}: its price has no price_source`];
    const { source, as_of } = price_source;
    const days = daysSince(as_of, now);
    return days > limits.priceAgeDaysMax
      ? [`${id}: its price is of ${as_of}, ${days} days old (${source})`]
      : [];
  });
}

/** A line for each provider and chat model whose traits were read too long ago, and for each chat model without any. */
function oldTraits({ models, providers }: Catalog, now: number): string[] {
  const old = (name: string, traits: StatedTraits | undefined) => {
    const days = traits ? daysSince(traits.as_of, now) : 0;
    return traits && days > limits.traitsAgeDaysMax
      ? [`${name}: its traits are of ${traits.as_of}, ${days} days old (${traits.source})`]
      : [];
  };
  return [
    ...Object.entries(providers).flatMap(([name, { traits }]) => old(`provider ${name}`, traits)),
    ...models
      .filter(({ capabilities }) => capabilities.includes("chat"))
      .flatMap(({ id, traits, channels }) => {
        const has = traits || channels.some(({ provider }) => providers[provider]?.traits);
        return has ? old(id, traits) : [`${id}: it has no traits: requests are not made to fit it`];
      }),
  ];
}

function daysSince(day: string, now: number): number {
  return Math.floor((now - Date.parse(`${day}T00:00:00.000Z`)) / dayMs);
}
