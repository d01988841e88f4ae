/** What groups give, as an owner sets it: a role, and projects (people/sign-on/README.md "Groups"). */
import { invalidField, isAbsent, isObject, optionalArray } from "../../../base/json/fields.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import { isArchived } from "../../../books/accounts/project.ts";
import { signOnLimits } from "../../../people/sign-on/bounds.ts";
import { type GroupRule, givenRoles } from "../../../people/sign-on/connection.ts";
import { type ProjectReading, projectsOf } from "../../api/projects.ts";
import { isName } from "../../api/report-parameters.ts";
import type { FieldsOf } from "../body.ts";

/** The rules of a body; undefined where it has none. Throws `invalid_request`, which names the rule. */
export function readRules(fields: FieldsOf<"rules">): GroupRule[] | undefined {
  const rules = optionalArray(fields, "rules");
  const { rulesMax, projectsMax } = signOnLimits;
  if (rules && rules.length > rulesMax) throw invalidField("rules", `at most ${rulesMax} rules`);
  const read = rules?.map(readRule);
  if (read && projectsNamed(read).length > projectsMax)
    throw invalidField("rules", `rules that name at most ${projectsMax} projects`);
  return read;
}

function readRule(rule: unknown, at: number): GroupRule {
  const { group, role, projects, ...others } = isObject(rule) ? rule : {};
  const given = givenRoles.find((each) => each === role);
  const isGroup = typeof group === "string" && group !== "" && group.length <= signOnLimits.groupCharsMax;
  const handles = readHandles(projects);
  if (isGroup && group.isWellFormed() && given && handles && Object.keys(others).length === 0)
    return { group, role: given, ...(handles.length > 0 && { projects: handles }) };
  const form = `{group, role, projects?}, where role is one of ${givenRoles.join(", ")}, and projects are handles`;
  throw invalidField(`rules[${at}]`, form);
}

function readHandles(given: unknown): string[] | undefined {
  if (isAbsent(given)) return [];
  const isHandle = (each: unknown): each is string => typeof each === "string" && each !== "" && isName(each);
  return Array.isArray(given) && given.every(isHandle) ? [...new Set(given)] : undefined;
}

/** The different projects that rules name. */
export function projectsNamed(rules: readonly GroupRule[]): string[] {
  return [...new Set(rules.flatMap(({ projects = [] }) => projects))];
}

/**
 * Throws `invalid_request` for a project that the organization does not have, or has archived. What the rules of before
 * name is not looked at: a project that was archived since gives nothing, and keeps nobody from changing the rest.
 */
export async function checkProjects(
  organization: Organization,
  rules: readonly GroupRule[],
  before: readonly GroupRule[],
  deps: ProjectReading,
): Promise<void> {
  const known = new Set(projectsNamed(before));
  const named = projectsNamed(rules).filter((each) => !known.has(each));
  if (named.length === 0) return;
  const { projects } = await projectsOf(organization, deps);
  const open = new Set(projects.flatMap(({ handle }) => (isArchived(organization, handle) ? [] : [handle])));
  const unknown = named.find((each) => !open.has(each));
  if (unknown !== undefined)
    throw invalidField("rules", `about projects that are not archived: \`${unknown}\` is no such handle`);
}
