/** Rules between a catalog's plans and its models: what a plan promises must be there. */
import { rateFor, type Switch, ways } from "../billing/pricing/rates.ts";
import { type Catalog, isAmong, type Plan, priceOf } from "./catalog.ts";

/** Patterns that match no model, and tools and ways without a rate: a plan would promise nothing by them. */
export function planProblems(catalog: Catalog): string[] {
  return Object.entries(catalog.plans).flatMap(([name, plan]) =>
    [...patternProblems(plan, catalog), ...includedProblems(plan, catalog)].map(
      (problem) => `plans.${name}.${problem}`,
    ),
  );
}

function patternProblems({ models: patterns }: Plan, { models }: Catalog): string[] {
  return patterns.flatMap((pattern, index) => {
    if (pattern === "*" || models.some(({ id }) => isAmong(id, [pattern]))) return [];
    return [`models[${index}]: ${pattern} matches no model`];
  });
}

function includedProblems({ tools, ways: served }: Plan, catalog: Catalog): string[] {
  const isRated = (kind: Switch["kind"], name: string) =>
    catalog.models.some((entry) => {
      const price = priceOf(entry, catalog);
      return price && rateFor(price, { kind, name }) !== undefined;
    });
  return [
    ...Object.keys(tools).flatMap((name) =>
      isRated("tool", name) ? [] : [`tools.${name}: no model has a rate for it`],
    ),
    ...ways.flatMap((way) =>
      (served[way] ?? []).flatMap((name, index) =>
        isRated(way, name) ? [] : [`ways.${way}[${index}]: no model has a rate for ${name}`],
      ),
    ),
  ];
}
