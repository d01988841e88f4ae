/** Projects and budgets of the mocked organization: one with room, one that is spent, and that of each customer. */
import type { LevelBudget, Project } from "../../console/api-types.ts";

const used = (spent_points: string, left_points: string): LevelBudget["used"] => [
  { billing_mode: "payg", spent_points, held_points: "0", left_points, resets_at: null },
];

const budget = (own: Pick<LevelBudget, "level" | "id" | "budget_points" | "used">): LevelBudget => ({
  object: "budget",
  budget_period: "month",
  ...own,
});

export const budgets = [
  budget({ level: "organization", id: null, budget_points: "500", used: used("13", "487") }),
  budget({ level: "project", id: "search", budget_points: "13", used: used("13", "0") }),
  budget({ level: "customer", id: null, budget_points: "2", used: [] }),
];

const project = (id: string, change: Partial<Project> = {}): Project => ({
  ...{ id, object: "project", name: id, status: "active", members: null, keys_in_use: 1 },
  ...{ budget: budgets.find((each) => each.level === "project" && each.id === id) ?? null },
  ...{ created_at: null, created_by: null, ...change },
});

export const projects = [
  project("search"),
  project("support", {
    name: "Support desk",
    members: [{ id: "usr_01KAJ2X5P00000000000000000", name: "Ann" }],
  }),
  project("trial", { status: "archived", keys_in_use: 0 }),
];
