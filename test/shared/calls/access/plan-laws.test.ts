/**
 * No call of a plan costs the house more than the plan bears. That holds for every switch, price, protocol and fallback,
 * and for every usage that the request allows.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { holdPoints, type UsageBounds } from "#shared/books/billing/pricing/hold-points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import type { PinnedPrice, Rates } from "#shared/books/billing/pricing/price.ts";
import { isStandard, type Switch, ways } from "#shared/books/billing/pricing/rates.ts";
import { tokenKinds, type UsageDetails, withDetails } from "#shared/books/billing/usage.ts";
import type { Model, Plan } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { brokenCostBound, checkPlanSwitches } from "#shared/books/catalog/plan-includes.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { callsWorth } from "#shared/books/meters/hold.ts";
import { pointsHeld } from "#shared/calls/access/hold.ts";
import { planLimitsAt } from "#shared/calls/access/meter.ts";
import { bounds as cacheBounds } from "#shared/calls/cache/bounds.ts";
import { bounds } from "#shared/calls/cache/semantic/bounds.ts";
import { judgeAnswers, judgeControl, judgeQuestions } from "#shared/calls/cache/semantic/judge.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { plain, subscribed, subscription } from "#test/support/plans.ts";
import { anyDetails, count, pinnedWithRates, seed, tokens } from "#test/support/prices.ts";

const caller = { principal: subscribed("mine"), at: 1 };

/** Whether a plan lets a call in that may cost so much, as far as its catalog says. */
function lets(plan: Plan, switches: Switch[], most: bigint): boolean {
  const catalog = { plan: () => plan, plans: () => ({ mine: plan }) };
  try {
    checkPlanSwitches(switches, caller, catalog);
    return brokenCostBound(() => most, caller, catalog) === undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.key === "permission_denied") return false;
    throw error;
  }
}

/** The calls of quota that a call of a plan is held for, and what one of them is good for. */
function heldOn(plan: Plan, most: bigint): { calls: number; each: bigint | undefined } {
  const limits = planLimitsAt(subscription, 1, { catalog: { plan: () => plan } });
  const { calls = 1 } = pointsHeld({ mode: "subscription", limits: null }, limits ?? null, () => most);
  return { calls, each: limits?.callPoints };
}

/** What is wrong with a call of this cost that a plan has let in. */
function gapOf(plan: Plan, most: bigint, cost: bigint): string | undefined {
  const { call, day, above } = plan.list_points_max ?? {};
  if (cost > most) return "it costs more than was reckoned";
  if (day !== undefined && cost > parsePoints(day)) return "it costs more than a day";
  if (call === undefined) return undefined;
  if (above === "refuse") return cost > parsePoints(call) ? "it costs more than a call" : undefined;
  const { calls, each } = heldOn(plan, most);
  const worth = callsWorth(cost, each);
  if (worth > calls) return "it counts as more calls than were held";
  return cost > BigInt(worth) * parsePoints(call) ? "it counts as too few calls" : undefined;
}

const asSwitches = (details: UsageDetails): Switch[] => [
  ...ways.flatMap((kind) => {
    const name = details[kind];
    return name === undefined || isStandard(kind, name) ? [] : [{ field: kind, kind, name }];
  }),
  ...tokenKinds.map((name) => ({ field: name, kind: "tokenKind" as const, name })),
  ...Object.entries(details.calls ?? {}).map(([name, calls]) => ({
    field: name,
    kind: "tool" as const,
    name,
    calls,
  })),
];

/** Points at which some of the calls below are let in, and others are not. */
const bound = fc
  .integer({ min: 1, max: 400_000_000 })
  .map((micros) => formatPoints(BigInt(micros) * 10n ** 12n));
const often = fc.integer({ min: 20, max: 60 });
const anyPlan: fc.Arbitrary<Plan> = fc
  .record({
    tools: fc.record({ web_search: often, code_interpreter: often }, { requiredKeys: ["web_search"] }),
    ways: fc.record({
      service_tier: fc.subarray(["priority", "flex", "scale"], { minLength: 1 }),
      speed: fc.subarray(["fast"]),
      inference_geo: fc.subarray(["us"]),
    }),
    list_points_max: fc.record(
      { call: bound, day: bound, above: fc.constantFrom("refuse" as const, "count" as const) },
      { requiredKeys: ["call", "above"] },
    ),
  })
  .map((more) => ({ ...plain, ...more }) as Plan);

describe("a call that a plan lets in", () => {
  test("costs no more than the plan bears, at any price, with any switches and any usage", () => {
    let let_in = 0;
    fc.assert(
      fc.property(
        ...([anyPlan, pinnedWithRates, anyDetails, count, count, count, count, count] as const),
        (plan, price, details, input, output, read, moreIn, moreOut) => {
          const base = tokens(input, output, read);
          const switches = asSwitches(details);
          const bounds: UsageBounds = {
            input_tokens: input + read + moreIn,
            output_tokens: output + moreOut,
            switches,
          };
          const most = holdPoints(bounds, price);
          if (!lets(plan, switches, most)) return;
          let_in += 1;
          const { points } = charge(withDetails(base, details), price);
          expect(gapOf(plan, most, points)).toBeUndefined();
          for (const [name, calls] of Object.entries(details.calls ?? {}))
            expect(plan.tools[name]).toBeGreaterThanOrEqual(calls);
        },
      ),
      { seed, numRuns: 3_000 },
    );
    expect(let_in).toBeGreaterThan(300);
  });
});

describe("of the default catalog", () => {
  const catalog = createCatalog(parseCatalog(catalogFile));
  /** Every list of rates that a price may have, and the kind of switch whose rule covers it. */
  const kinds: Record<string, Switch["kind"]> = {
    ...Object.fromEntries(ways.map((way) => [way, way])),
    ...Object.fromEntries(tokenKinds.map((kind) => [kind, "tokenKind"])),
    tools: "tool",
    tools_once: "tool",
    unasked: "tool",
  };

  /** Every switch that a model has a rate for, at some of the numbers of calls that a request may name. */
  function switchesOf({ price }: PinnedPrice): Switch[] {
    const { batch: _, ...asked }: Rates = price.rates ?? {};
    return Object.entries(asked).flatMap(([list, rates]: [string, unknown]): Switch[] => {
      const kind = kinds[list];
      if (!kind) throw new Error(`no rule covers the rates ${list}`);
      if (kind === "tokenKind") return [{ field: list, kind, name: list }];
      return Object.keys(rates as object).flatMap((name) =>
        (kind === "tool" ? [1, 10, 500] : [0]).map((calls) => ({ field: name, kind, name, calls })),
      );
    });
  }

  test("every plan bears every call of every model, with each switch that has a rate, or refuses it", () => {
    const seen = { let_in: 0, refused: 0 };
    for (const [name, plan] of Object.entries(catalog.plans()))
      for (const model of catalog.models()) {
        if (!catalog.plansWith(model).includes(name)) continue;
        const price = catalog.price(model, 0);
        const sizes = model.video?.resolutions ?? [undefined];
        for (const resolution of sizes)
          for (const switches of [[], ...switchesOf(price).map((each) => [each])]) {
            const bounds = {
              input_tokens: model.context_tokens,
              output_tokens: model.output_tokens,
              images: model.capabilities.includes("images") ? 15 : 0,
              seconds: model.video?.max_seconds ?? 0,
              ...(resolution && { resolution }),
              switches,
            };
            const most = holdPoints(bounds, price);
            const isIn = lets(plan, switches, most);
            seen[isIn ? "let_in" : "refused"] += 1;
            if (isIn) expect(gapOf(plan, most, most), `${name} ${model.id}`).toBeUndefined();
            // Nothing that Free lets in is worth more than one point.
            if (isIn && name === "free") expect(most <= parsePoints("1"), model.id).toBe(true);
          }
      }
    expect(seen.let_in).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(50);
  });

  test("Free refuses each of the three calls that cost the house the most for one call of its quota", () => {
    const free = catalog.plan("free") ?? expect.fail();
    for (const [name, calls] of [
      ["code_interpreter_64g", 1],
      ["image_generation", 8],
      ["web_search", 500],
    ] as const)
      expect(lets(free, [{ field: name, kind: "tool", name, calls }], 0n), name).toBe(false);
  });

  test("no plan's call costs the house a fiftieth more because the semantic cache asks its models", () => {
    const { embedder, verifier } = catalog.cacheModels() ?? expect.fail();
    // What takes the most bytes in JSON. A token has at least one byte.
    const longest = (bytes: number) => "\u0001".repeat(bytes);
    const [question, answer] = [longest(cacheBounds.questionBytesMax), longest(cacheBounds.answerBytesMax)];
    const costOf = ({ price }: Model, asked: object) =>
      holdPoints(
        { input_tokens: JSON.stringify(asked).length, output_tokens: bounds.verdictTokensMax },
        pinPrice(price, "1"),
      );
    const audits = [judgeAnswers(question, answer, answer), judgeControl(question, answer)];
    const audited = audits.reduce((sum, asked) => sum + costOf(verifier, asked), 0n);
    const most =
      costOf(embedder, { input: question }) +
      costOf(verifier, judgeQuestions(question, question)) +
      audited / BigInt(bounds.auditOneOf);
    const cached = Object.values(catalog.plans()).filter(({ cache }) => cache);
    expect(cached.length).toBeGreaterThan(0);
    for (const { list_points_max } of cached)
      expect(50n * most <= parsePoints(list_points_max?.call ?? "0")).toBe(true);
  });

  test("no plan refuses a plain call of one of its models that names no length", () => {
    for (const [name, plan] of Object.entries(catalog.plans()))
      for (const model of catalog.models()) {
        if (!catalog.plansWith(model).includes(name) || !model.capabilities.includes("chat")) continue;
        const hello = { input_tokens: 1_000, output_tokens: model.output_tokens };
        const most = holdPoints(hello, pinPrice(model.price, model.discount_rate));
        expect(lets(plan, [], most), `${name} ${model.id}`).toBe(true);
      }
  });
});
