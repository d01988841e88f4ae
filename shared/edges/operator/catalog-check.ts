/** `operator catalog check FILE`: says whether this catalog would deploy, and how old its prices and traits are, and what its plans include. */

import { limits } from "../../base/limits.ts";
import { daysSince, spanStart } from "../../books/billing/period.ts";
import { unratedAgentTools } from "../../books/catalog/agent-tools.ts";
import type { Catalog } from "../../books/catalog/catalog.ts";
import { CatalogError, parseCatalog } from "../../books/catalog/schema.ts";
import type { StatedTraits } from "../../books/catalog/traits.ts";
import { checkPlans } from "./catalog-plans.ts";
import { isOldPrice, priceAges, sayPriceAges } from "./price-ages.ts";

export interface CatalogReport {
  ok: boolean;
  /** One line each, place and path first. */
  problems: readonly string[];
  /**
   * Findings that prevent no deploy, a line each, with its place first: of models that end, of old prices and traits,
   * of missing rates and currencies, and of undecided plans.
   */
  warnings: readonly string[];
  /** The same with one line for all findings of a kind: how many there are, and the first of them. */
  grouped: readonly string[];
  /** When prices were read. */
  prices: string;
  /** What each plan includes, and what a call of it may cost at most. */
  plans: Readonly<Record<string, string>>;
  models: number;
}

/** The place of a path in the catalog's files, such as `acme.json:12:7: `. */
type PlaceOf = (path: string) => string;

/** A finding of a kind that many models may have. */
interface CatalogFinding {
  /** What is said of all of them, before their number. */
  kind: string;
  /** The model or provider. */
  of: string;
  /** Its path in the catalog. */
  path: string;
  /** What is said of this one. */
  line: string;
}

/** How many findings of a kind are named in its line. */
const namedMax = 3;

/** Checks a catalog's files at `now` (Unix ms) as a deploy does. `placeOf` gives the place that a line begins with. */
export function checkCatalog(given: unknown, now: number, placeOf: PlaceOf = () => ""): CatalogReport {
  try {
    const catalog = parseCatalog(given);
    const { plans, warnings: ofPlans } = checkPlans(catalog, given);
    const findings = [
      ...endingModels(catalog, now),
      ...nextPrices(catalog, now),
      ...oldPrices(catalog, now),
      ...oldTraits(catalog, now),
      ...costsOfNoCurrency(catalog),
    ];
    const tools = unratedAgentTools(catalog);
    const rest = [...tools, ...ofPlans.map((line) => placeOf(line) + line)];
    return {
      ok: true,
      problems: [],
      warnings: [...findings.map(({ path, line }) => placeOf(path) + line), ...rest],
      grouped: [...inGroups(findings), ...rest],
      prices: sayPriceAges(priceAges(catalog, now)).seen,
      plans,
      models: catalog.models.length,
    };
  } catch (error) {
    return refusedFor(error, placeOf);
  }
}

/** The report of a catalog that a `CatalogError` was thrown for. Throws any other error. */
export function refusedFor(error: unknown, placeOf: PlaceOf = () => ""): CatalogReport {
  if (!(error instanceof CatalogError)) throw error;
  const problems = error.problems.map((problem) => placeOf(problem) + problem);
  return { ok: false, problems, warnings: [], grouped: [], prices: "", plans: {}, models: 0 };
}

/** A line for the findings of each kind. */
function inGroups(findings: readonly CatalogFinding[]): string[] {
  return [...Map.groupBy(findings, ({ kind }) => kind)].map(([kind, all]) => {
    const named = all.slice(0, namedMax).map(({ of }) => of);
    const more = all.length - named.length;
    return `${kind} (${all.length}): ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  });
}

/** So many days before its end a model is named: time enough to tell those who call it. */
const endingDays = 60;

/** The models that their vendor ends soon, or has ended. */
function endingModels({ models }: Catalog, now: number): CatalogFinding[] {
  return models.flatMap(({ id, ends }, index) => {
    if (ends === undefined || daysSince(ends, now) < -endingDays) return [];
    const at = { kind: "models that their vendor ends", of: id, path: `models[${index}].ends` };
    return [{ ...at, line: `${id}: its vendor ends it on ${ends}` }];
  });
}

/** The models whose next price is in force: the file would be read wrongly by whoever looks at `price`. */
function nextPrices({ models }: Catalog, now: number): CatalogFinding[] {
  return models.flatMap(({ id, next_price }, index) => {
    if (next_price === undefined || spanStart(next_price.from) > now) return [];
    const at = { kind: "next prices that are in force", of: id, path: `models[${index}].next_price` };
    return [{ ...at, line: `${id}: its next_price is in force since ${next_price.from}: make it the price` }];
  });
}

/** The models with a channel's cost that is in no currency: a margin takes it for none of today's once there is one. */
function costsOfNoCurrency({ models, currency }: Catalog): CatalogFinding[] {
  if (currency) return [];
  return models.flatMap(({ id, channels }, index) => {
    const at = channels.findIndex(({ cost }) => cost !== undefined);
    if (at < 0) return [];
    const path = `models[${index}].channels[${at}].cost`;
    const line = `${id}: its cost is in no currency: give the catalog its currency`;
    return [{ kind: "costs in a catalog without a currency", of: id, path, line }];
  });
}

/** The models whose price was read over `limits.priceAgeDaysMax` days ago, or on an unknown day. */
function oldPrices({ models }: Catalog, now: number): CatalogFinding[] {
  return models.flatMap(({ id, price_source }, index) => {
    const at = { of: id, path: `models[${index}].price_source` };
    if (!price_source) {
      return [{ ...at, kind: "prices without a price_source", line: `${id}: its price has no price_source` }];
    }
    const { source, as_of } = price_source;
    if (!isOldPrice(as_of, now)) return [];
    const line = `${id}: its price is of ${as_of}, ${daysSince(as_of, now)} days old (${source})`;
    return [{ ...at, kind: `prices more than ${limits.priceAgeDaysMax} days old`, line }];
  });
}

/** The providers and chat models whose traits were read too long ago, and the chat models without any. */
function oldTraits({ models, providers }: Catalog, now: number): CatalogFinding[] {
  const old = (name: string, path: string, traits: StatedTraits | undefined): CatalogFinding[] => {
    const days = traits ? daysSince(traits.as_of, now) : 0;
    if (!traits || days <= limits.traitsAgeDaysMax) return [];
    const kind = `traits more than ${limits.traitsAgeDaysMax} days old`;
    const line = `${name}: its traits are of ${traits.as_of}, ${days} days old (${traits.source})`;
    return [{ kind, of: name, path: `${path}.traits`, line }];
  };
  const none = "chat models without traits, whose requests are not made to fit them";
  return [
    ...Object.entries(providers).flatMap(([name, { traits }]) =>
      old(`provider ${name}`, `providers.${name}`, traits),
    ),
    ...models.flatMap(({ id, traits, channels, capabilities }, index) => {
      if (!capabilities.includes("chat")) return [];
      const path = `models[${index}]`;
      const has = traits || channels.some(({ provider }) => providers[provider]?.traits);
      const line = `${id}: it has no traits: requests are not made to fit it`;
      return has ? old(id, path, traits) : [{ kind: none, of: id, path: `${path}.id`, line }];
    }),
  ];
}
