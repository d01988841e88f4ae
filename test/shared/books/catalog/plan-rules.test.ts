/** What a plan includes, as a catalog file says it: the rules it must keep, and what `catalog check` says of it. */
import { describe, expect, test } from "vitest";
import { CatalogError, parseCatalog } from "#shared/books/catalog/schema.ts";
import { checkCatalog } from "#shared/edges/operator/catalog-check.ts";
import { sample, set } from "#test/support/catalog.ts";

/** What is said of a plan that no bound was set for. */
const unbounded =
  "plans.pro: no list_points_max bounds what a call costs the house: up to 0.70692 points (acme/Sonic-1-5)";

function problemsOf(json: unknown): readonly string[] {
  try {
    parseCatalog(json);
    return [];
  } catch (error) {
    if (error instanceof CatalogError) return error.problems;
    throw error;
  }
}

describe("a plan", () => {
  test.each<[path: string, value: unknown, problem: string]>([
    ["plans.pro.tools", { web_search: 1 }, "plans.pro.tools.web_search: no model has a rate for it"],
    ["plans.pro.tools", { "*": 1 }, 'plans.pro.tools["*"]: must be a name of lower-case letters'],
    ["plans.pro.tools", { web_search: 0 }, "plans.pro.tools.web_search: "],
    ["plans.pro.ways", { speed: ["fast"] }, "plans.pro.ways.speed[0]: no model has a rate for fast"],
    ["plans.pro.ways", { colour: ["red"] }, "plans.pro.ways"],
    ["plans.pro.video", { max_seconds: 0 }, "plans.pro.video.max_seconds: "],
    ["plans.pro.video", { resolutions: ["8k"] }, "plans.pro.video.resolutions[0]: "],
    ["plans.pro.list_points_max", {}, "plans.pro.list_points_max: must have `call` or `day`"],
    ["plans.pro.list_points_max", { call: 1 }, "plans.pro.list_points_max.call: "],
    [
      "plans.pro.list_points_max",
      { day: "1", above: "count" },
      "plans.pro.list_points_max.above: can be `count` only beside a `call` of more than 0",
    ],
    [
      "plans.pro.list_points_max",
      { call: "0", above: "count" },
      "plans.pro.list_points_max.above: can be `count` only beside a `call` of more than 0",
    ],
  ])("with %s = %j is refused", (path, value, problem) => {
    const problems = problemsOf(set(sample(), path, value));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  test("says what its plans include, and what nobody has decided of them", () => {
    const rates = { tools: { web_search: "0.01" }, service_tier: { flex: "0.5" } };
    const rated = set(sample(), "pricing_groups.shared.rates", rates);
    const check = (file: unknown) => {
      const { warnings, plans } = checkCatalog(file, 0);
      return { ...plans, warnings: warnings.filter((line) => line.startsWith("plans")) };
    };
    expect(check(rated).warnings).toEqual([
      unbounded,
      "plans.pro: it has no `tools`, so it includes no tool of a provider",
      "plans.pro: it has no `ways`, so it includes the standard way alone",
    ]);
    const decided = {
      tools: { web_search: 5 },
      ways: { service_tier: ["flex"] },
      video: { max_seconds: 4, resolutions: ["480p"] },
      list_points_max: { call: "0.5", day: "2", above: "count" },
    };
    const { plans } = rated as { plans: { pro: object } };
    expect(check({ ...(rated as object), plans: { pro: { ...plans.pro, ...decided } } })).toEqual({
      pro: "includes web_search 5, service_tier flex, videos of 480p, videos of up to 4 seconds; a call may cost 0.5 points, a dearer one counts as several, a day 2 points; its dearest call is worth 0.75692 points (acme/Sonic-1-5)",
      warnings: [],
    });
  });
});
