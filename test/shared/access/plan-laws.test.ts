/**
 * No call of a plan costs the house more than the plan bears. That holds for every switch, price, protocol and fallback,
 * and for every usage that the request allows.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planLimitsAt, pointsHeld } from "#shared/access/hold.ts";
import type { Organization, Principal } from "#shared/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/billing/points.ts";
import { charge, holdPoints, pinPrice, type UsageBounds } from "#shared/billing/pricing/charge.ts";
import type { PinnedPrice } from "#shared/billing/pricing/price.ts";
import { isStandard, type Switch, ways } from "#shared/billing/pricing/rates.ts";
import { tokenKinds, type UsageDetails, withDetails } from "#shared/billing/usage.ts";
import catalogFile from "#shared/catalog/catalog.json" with { type: "json" };
import type { Plan } from "#shared/catalog/catalog.ts";
import { createCatalog } from "#shared/catalog/models.ts";
import { checkPlanCost, checkPlanSwitches } from "#shared/catalog/plan-includes.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
import { GatewayError } from "#shared/errors.ts";
import { createPipeline } from "#shared/gateway/pipeline.ts";
import { callsWorth } from "#shared/meters/hold.ts";
import { call } from "#test/support/call.ts";
import { anyDetails, count, pinnedWithRates, seed, tokens } from "#test/support/prices.ts";
import { completion, useScenario } from "#test/support/scenario.ts";
import { priced, ways as protocols, switchCatalog } from "#test/support/switches.ts";

const plain: Plan = {
  price: { monthly: "0", quarterly: "0", yearly: "0" },
  quota: { monthly: 1_000_000, quarterly: 1, yearly: 1 },
  ...{ rpm: null, tpm: null, tpd: null, models: ["*"], n_max: null, routing: "smart", cache: false },
  ...{ tools: {}, ways: {}, video: {}, list_points_max: null },
};

const subscription = { meter: "m", plan: "mine", period: "monthly", started_at: 0, ends_at: null } as const;
const subscribed = (plan: string) =>
  ({
    key: { mode: "subscription", limits: null },
    organization: { subscription: { ...subscription, plan }, wallet: null } as unknown as Organization,
  }) as Principal;
const caller = { principal: subscribed("mine"), at: 1 };

/** Whether a plan lets a call in that may cost so much, as far as its catalog says. */
function lets(plan: Plan, switches: Switch[], most: bigint): boolean {
  const catalog = { plan: () => plan, plans: () => ({ mine: plan }) };
  try {
    checkPlanSwitches(switches, caller, catalog);
    checkPlanCost(() => most, caller, catalog);
    return true;
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
  };

  /** Every switch that a model has a rate for, at some of the numbers of calls that a request may name. */
  function switchesOf({ price }: PinnedPrice): Switch[] {
    return Object.entries(price.rates ?? {}).flatMap(([list, rates]: [string, unknown]): Switch[] => {
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
        const price = catalog.price(model);
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

describe("a request in any protocol", () => {
  const scenario = useScenario();

  const changes: [protocol: keyof typeof protocols, change: object][] = [
    ["chat", { service_tier: "priority" }],
    ["chat", { web_search_options: {}, n: 3 }],
    ["chat", { max_tokens: 100, n: 2 }],
    ["chat", { tools: [{ type: "web_search" }] }],
    ["anthropic", { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 40 }] }],
    ["anthropic", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["anthropic", { speed: "fast", inference_geo: "us" }],
    ["anthropic", { service_tier: "auto", max_tokens: 8_000 }],
    ["responses", { tools: [{ type: "image_generation" }], max_tool_calls: 3 }],
    ["responses", { tools: [{ type: "web_search" }, { type: "image_generation" }] }],
    ["responses", { tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }] }],
    ["responses", { max_output_tokens: 50 }],
    ["gemini", { tools: [{ googleSearch: {} }] }],
    ["gemini", { generationConfig: { maxOutputTokens: 20, responseModalities: ["AUDIO"] } }],
  ];

  test("is held for no more than its plan bears, with fallbacks and across protocols, or nobody is asked", async () => {
    const { memory, upstream } = scenario;
    const base = switchCatalog(upstream.url) as { models: { id: string }[] };
    const dear = { ...base.models.find(({ id }) => id === priced), id: "test/dear", discount_rate: "4" };
    const all = {
      tools: { web_search: 50, image_generation: 5, code_interpreter_4g: 1, google_search: 10 },
      ways: { service_tier: ["priority", "flex"], speed: ["fast"], inference_geo: ["us"] },
    };
    const bounds = { tight: "0.02", wide: "0.6", wider: "3" };
    const plans = Object.fromEntries(
      Object.entries(bounds).map(([name, points]) => [
        name,
        { ...plain, ...all, list_points_max: { call: points, day: "1000" } },
      ]),
    );
    const catalog = createCatalog(parseCatalog({ ...base, models: [...base.models, dear], plans }));
    const serve = createPipeline({} as never, { ...memory.deps, catalog });
    upstream.json(completion);
    const seen = { let_in: 0, refused: 0 };
    for (const [name, points] of Object.entries(bounds)) {
      const { organization } = subscribed(name);
      const key = memory.addKey({ mode: "subscription" }, { ...organization });
      for (const [protocol, change] of changes)
        for (const more of [
          {},
          { "x-gateway-fallback": "test/dear" },
          { "x-gateway-allow-drop": "tools" },
        ] as object[])
          for (const model of [priced, "test/across"]) {
            const { path, body } = protocols[protocol];
            const [held, asked] = [memory.holds.length, upstream.requests.length];
            const headers = { "x-api-key": key, ...more } as Record<string, string>;
            const { status } = await call(serve, path(model), {
              headers,
              body: { model, ...body, ...change },
            });
            const took = memory.holds.slice(held);
            for (const { listPoints = -1n } of took) {
              expect(listPoints, `${name} ${protocol} ${JSON.stringify(change)}`).toBeGreaterThanOrEqual(0n);
              expect(listPoints <= parsePoints(points)).toBe(true);
            }
            if (took.length === 0)
              expect([upstream.requests.length, status]).toEqual([asked, expect.any(Number)]);
            seen[took.length > 0 ? "let_in" : "refused"] += 1;
          }
    }
    expect(seen.let_in).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(50);
  });

  /** A provider that runs each tool as often as its request lets it, and 500 times where the request does not say it. */
  function greedily(asked: {
    tools?: { type: string; max_uses?: number }[];
    max_tool_calls?: number;
  }): object {
    const { tools = [], max_tool_calls: most = 500 } = asked;
    const searches = tools.reduce((sum, { max_uses = 500 }) => sum + max_uses, 0);
    const output = tools.flatMap(({ type }) =>
      Array.from({ length: most }, (_, at) => ({
        ...{ type: `${type}_call`, id: `c${at}`, container_id: "same", action: { type: "search" } },
      })),
    );
    const tokens = { input_tokens: 10, output_tokens: 4 };
    return {
      ...{ id: "m", type: "message", role: "assistant", content: [], stop_reason: "end_turn", output },
      ...{ object: "response", status: "completed" },
      usage: { ...tokens, total_tokens: 14, server_tool_use: { web_search_requests: searches } },
    };
  }

  test("costs no more than was held for it, however often its provider runs its tools", async () => {
    const { memory, upstream } = scenario;
    const some = { web_search: 7, image_generation: 3, code_interpreter_4g: 1, google_search: 10 };
    const bounds = { call: "40", day: "1000" };
    const plans = {
      refuses: { ...plain, tools: some, list_points_max: bounds },
      counts: { ...plain, tools: some, list_points_max: { ...bounds, call: "0.02", above: "count" } },
    };
    const base = switchCatalog(upstream.url) as object;
    const serve = createPipeline({} as never, {
      ...memory.deps,
      catalog: createCatalog(parseCatalog({ ...base, plans })),
    });
    upstream.on((_, response) => {
      const { body } = upstream.requests.at(-1) ?? expect.fail();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(greedily(JSON.parse(String(body)))));
    });
    const searched = { type: "web_search_20250305", name: "web_search" };
    const asked: [protocol: "anthropic" | "responses", change: object, calls: number][] = [
      ["anthropic", { tools: [searched] }, 7],
      ["anthropic", { tools: [{ ...searched, max_uses: 4 }] }, 4],
      ["anthropic", { tools: [searched, { ...searched, max_uses: 4 }] }, 7],
      ["responses", { tools: [{ type: "web_search" }] }, 7],
      ["responses", { tools: [{ type: "web_search" }, { type: "image_generation" }] }, 6],
    ];
    for (const plan of Object.keys(plans)) {
      const key = memory.addKey({ mode: "subscription" }, { ...subscribed(plan).organization });
      for (const [protocol, change, calls] of asked) {
        const { path, body } = protocols[protocol];
        const model = { model: priced, ...body, ...change };
        await call(serve, path(), { headers: { "x-api-key": key }, body: model });
        const { ticket, settlement } = memory.settled.at(-1) ?? expect.fail();
        const { hold } = ticket;
        expect(settlement.listPoints).toBeGreaterThan(0n);
        expect(settlement.listPoints <= (hold.listPoints ?? 0n), JSON.stringify(change)).toBe(true);
        expect(settlement.calls ?? 1).toBeLessThanOrEqual(hold.calls ?? 1);
        const told = Object.values(memory.events.at(-1)?.usage.details?.calls ?? {});
        expect(told.reduce((sum, each) => sum + each, 0)).toBe(calls);
      }
    }
    expect(memory.settled).toHaveLength(2 * asked.length);
  });
});
