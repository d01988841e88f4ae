/** What `catalog check` says of plans: what each includes, what a call of it may cost at most, and what nobody decided. */
import { formatPoints } from "../../books/billing/points.ts";
import { holdPoints } from "../../books/billing/pricing/hold-points.ts";
import { type Switch, ways } from "../../books/billing/pricing/rates.ts";
import type { Catalog, Model, Plan } from "../../books/catalog/catalog.ts";
import { createCatalog } from "../../books/catalog/models.ts";
import { pinnedPrices } from "../../books/catalog/next-price.ts";

/** What is said of a catalog's plans. `given` is the file as it was written, where defaults are absent. */
export function checkPlans(
  catalog: Catalog,
  given: unknown,
): { plans: Record<string, string>; warnings: string[] } {
  const { models, plansWith } = createCatalog(catalog);
  const dearestOf = (name: string, plan: Plan) =>
    dearest(
      models().filter((model) => plansWith(model).includes(name)),
      plan,
    );
  const told = Object.entries(catalog.plans).map(([name, plan]) => {
    const most = dearestOf(name, plan);
    return {
      name,
      line: `${included(plan)}; ${bounds(plan)}; its dearest call is worth ${most}`,
      warnings: [
        ...(plan.list_points_max?.call === undefined
          ? [`plans.${name}: no list_points_max bounds what a call costs the house: up to ${most}`]
          : []),
        ...undecided(name, models(), given),
      ],
    };
  });
  return {
    plans: Object.fromEntries(told.map(({ name, line }) => [name, line])),
    warnings: told.flatMap(({ warnings }) => warnings),
  };
}

/** A line for each list of what a plan includes that the file leaves out, where a model has a rate for such a switch. */
function undecided(name: string, models: readonly Model[], given: unknown): string[] {
  const plan = (given as { plans?: Record<string, object> }).plans?.[name] ?? {};
  const has = (lists: readonly string[]) =>
    models.some(({ price: { rates = {} } }) => lists.some((list) => Object.hasOwn(rates, list)));
  return [
    ...(Object.hasOwn(plan, "tools") || !has(["tools", "tools_once", "unasked"])
      ? []
      : [`plans.${name}: it has no \`tools\`, so it includes no tool of a provider`]),
    ...(Object.hasOwn(plan, "ways") || !has(ways)
      ? []
      : [`plans.${name}: it has no \`ways\`, so it includes the standard way alone`]),
  ];
}

function included({ tools, ways: served, video }: Plan): string {
  const names = [
    ...Object.entries(tools).map(([tool, calls]) => `${tool} ${calls}`),
    ...ways.flatMap((way) => (served[way] ?? []).map((name) => `${way} ${name}`)),
    ...(video.resolutions ? [`videos of ${video.resolutions.join(", ")}`] : []),
    ...(video.max_seconds === undefined ? [] : [`videos of up to ${video.max_seconds} seconds`]),
  ];
  return names.length === 0 ? "includes no tools and the standard way alone" : `includes ${names.join(", ")}`;
}

function bounds({ list_points_max }: Plan): string {
  const { call, day, above } = list_points_max ?? {};
  const dear = above === "count" ? "a dearer one counts as several" : "a dearer one is refused";
  return [
    call === undefined ? "a call is not bounded" : `a call may cost ${call} points, ${dear}`,
    day === undefined ? "a day is not bounded" : `a day ${day} points`,
  ].join(", ");
}

/**
 * The most that a call of one answer can cost at any of these models, and at which. It has all its input, and all that a
 * plan has. The dearer of the price of now and the next one counts.
 */
function dearest(models: readonly Model[], plan: Plan): string {
  const switches: Switch[] = [
    ...Object.entries(plan.tools).map(([name, calls]) => ({
      field: name,
      kind: "tool" as const,
      name,
      calls,
    })),
    ...ways.flatMap((way) => (plan.ways[way] ?? []).map((name) => ({ field: way, kind: way, name }))),
  ];
  const costs = models.flatMap(({ context_tokens, output_tokens, capabilities, video, ...model }) => {
    const seconds = Math.min(video?.max_seconds ?? 0, plan.video.max_seconds ?? Number.POSITIVE_INFINITY);
    const resolutions = video?.resolutions.filter((each) => plan.video.resolutions?.includes(each) ?? true);
    const { now, next } = pinnedPrices(model);
    return (resolutions ?? [undefined]).flatMap((resolution) => {
      const bounds = {
        input_tokens: context_tokens,
        output_tokens,
        images: capabilities.includes("images") ? 1 : 0,
        seconds,
        ...(resolution !== undefined && { resolution }),
        switches,
      };
      const prices = next ? [now, next.price] : [now];
      return prices.map((price) => ({ id: model.id, points: holdPoints(bounds, price) }));
    });
  });
  const most = costs.reduce((a, b) => (b.points > a.points ? b : a), { id: "", points: 0n });
  return most.id === "" ? "0 points" : `${formatPoints(most.points)} points (${most.id})`;
}
