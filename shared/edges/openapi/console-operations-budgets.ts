/** Budgets of the organization's levels in the console's document (edges/console/routes/organization.ts). */

import { limits } from "../../base/limits.ts";
import { budgetLevels } from "../../books/accounts/account.ts";
import { thresholdLimits } from "../../people/thresholds/bounds.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { maybe, whole } from "./console-schemas.ts";
import * as s from "./schema.ts";

const belowPoints = s.orNull(
  s.such(s.points, "The wallet has fewer points than this. Null: never low by this."),
);
const belowDays = s.orNull(
  s.such(s.integer, {
    ...{ minimum: 1, maximum: thresholdLimits.walletDaysMax },
    description:
      "Its points last fewer days than this, at the pace of the last week. Null: never low by this.",
  }),
);

export const budgetSchemas = {
  KeyBounds: s.closed({
    object: s.just("key_bounds"),
    budgets: s.such(s.list(s.ref("LevelBudget")), "With the use of the meter that pays for the key's calls."),
    policies: s.list(s.ref("LevelPolicy")),
  }),
  WalletThresholds: s.closed({
    object: s.just("wallet_thresholds"),
    below_points: belowPoints,
    below_days: belowDays,
  }),
  LevelBudget: s.closed({
    object: s.just("budget"),
    level: s.oneOf(budgetLevels),
    id: s.orNull(
      s.such(
        s.string,
        "The project's name, or the member's id. Null: the organization's, or that of each customer.",
      ),
    ),
    budget_points: s.points,
    budget_period: s.oneOf(["day", "month", "total"]),
    used: s.such(
      s.list(
        s.closed({
          billing_mode: s.oneOf(["payg", "subscription"]),
          ...{ spent_points: s.points, held_points: s.points, left_points: s.points },
          resets_at: s.orNull(s.instant),
        }),
      ),
      "By the wallet and by the subscription, which each count for themselves. Empty at the level `customer` if no `user` is named.",
    ),
  }),
};

export const budgetOperations = {
  show_wallet_thresholds: {
    tag: "Organization",
    summary: "Show when the audit log tells that the wallet is low",
    reply: s.ref("WalletThresholds"),
    errors: [],
  },
  set_wallet_thresholds: {
    tag: "Organization",
    summary: "Set when the audit log, and with it webhooks, tell that the wallet is low",
    description: "Each is told once after a recharge.",
    request: {
      schema: s.closed({ below_points: belowPoints, below_days: belowDays }),
      example: { below_points: "50", below_days: 3 },
    },
    reply: s.ref("WalletThresholds"),
    errors: ["invalid_state"],
  },
  list_budgets: {
    tag: "Organization",
    summary: "List the budgets of the organization, its projects, its members and its end customers",
    query: [
      {
        name: "user",
        schema: s.string,
        description: "The end customer whose use is shown at the level `customer`.",
      },
    ],
    reply: whole(s.ref("LevelBudget")),
    errors: ["invalid_request"],
  },
  change_budget: {
    tag: "Organization",
    summary: "Give one level a budget, another one, or none",
    description: `Calls that had a budget go by the new one at once. The first budget that bounds a call acts after ${limits.keyCacheSeconds} seconds at most. An organization has at most ${limits.levelBudgetsMax}.`,
    request: {
      schema: s.closed(
        {
          level: s.oneOf(budgetLevels),
          budget_points: s.orNull(s.such(s.points, "What its calls may cost in a period. Null: no budget.")),
        },
        {
          id: maybe(s.such(s.string, "The project's name, or the member's id. Absent at the other levels.")),
          budget_period: maybe(
            s.such(s.oneOf(["day", "month", "total"]), "In UTC. End customers have no total."),
          ),
        },
      ),
      example: { level: "project", id: "search", budget_points: "50", budget_period: "month" },
    },
    reply: whole(s.ref("LevelBudget")),
    errors: ["not_found", "invalid_state"],
  },
} satisfies Record<string, ConsoleDescribed>;
