/** Projects in the console's document (edges/console/routes/organization.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { limits } from "../../base/limits.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { id, maybe } from "./console-schemas.ts";
import { after, limit } from "./parameters.ts";
import * as s from "./schema.ts";

const handle = s.such(s.string, { minLength: 1, maxLength: 128, pattern: s.plainName });
const parameter = { description: "The project's handle: the `project_id` of its keys." };
const status = s.oneOf(["active", "archived"]);
const person = s.closed({ id: id("usr"), name: s.string });
const members = s.orNull(
  s.such(
    s.list(id("usr"), { maxItems: consoleLimits.projectMembersMax }),
    "Who makes keys in it and sees its usage. Null: it is open to every member, who each see the usage of their own keys.",
  ),
);

export const projectSchemas = {
  Project: s.closed({
    id: s.such(s.string, "The handle: the `project_id` of its keys, calls and reports. It never changes."),
    object: s.just("project"),
    name: s.such(s.string, "What it is called. It may change."),
    status: s.such(status, "The keys of an archived project are refused with 40101."),
    members: s.orNull(
      s.such(
        s.list(person),
        "Null: it is open to every member. Who does not manage members sees themselves alone.",
      ),
    ),
    keys_in_use: s.integer,
    budget: s.orNull(s.ref("LevelBudget")),
    created_at: s.orNull(s.such(s.instant, "Null: keys or budgets named it before it had a record.")),
    created_by: s.orNull(s.such(person, "Null: an operator made it, or nobody did.")),
  }),
  ProjectList: s.page(s.ref("Project")),
};

export const projectOperations = {
  list_projects: {
    tag: "Organization",
    summary: "List projects, in the order of their handles",
    description:
      "Who sees all usage sees all of them, others those that they may use. A project that a key or a budget names is one too.",
    query: [limit(consoleLimits.projectPageMax), after],
    reply: s.ref("ProjectList"),
    errors: ["invalid_request"],
  },
  create_project: {
    tag: "Organization",
    summary: "Make a project",
    description: `Its handle comes from its name, and nobody has used it before. An organization has at most ${consoleLimits.projectsMax}.`,
    request: {
      schema: s.closed({ name: handle }, { id: maybe(handle), members }),
      example: { name: "Search team", members: null },
    },
    reply: s.ref("Project"),
    errors: ["invalid_state", "account_frozen"],
  },
  show_project: {
    tag: "Organization",
    summary: "Show a project",
    parameter,
    reply: s.ref("Project"),
    errors: ["not_found"],
  },
  change_project: {
    tag: "Organization",
    summary: "Rename, archive or bring back a project, or say who its members are",
    parameter,
    description: `Calls of its keys go by a new status within ${limits.keyCacheSeconds} seconds.`,
    request: {
      schema: s.closed({}, { name: maybe(handle), status: maybe(status), members }),
      example: { status: "archived" },
    },
    reply: s.ref("Project"),
    errors: ["not_found", "invalid_state"],
  },
} satisfies Record<string, ConsoleDescribed>;
