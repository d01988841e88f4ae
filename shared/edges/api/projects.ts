/** Projects as the interface takes and shows them (people/identity/projects.md). */
import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError, invalidRequest, invalidState } from "../../base/errors.ts";
import { checkUnicode, type Fields, invalidField, isAbsent, optionalString } from "../../base/json/fields.ts";
import { isId } from "../../base/platform/id.ts";
import type { Accounts, KeyRecord, Organization } from "../../books/accounts/account.ts";
import { isKept } from "../../books/accounts/key-state.ts";
import { keysOf } from "../../books/accounts/organization-keys.ts";
import {
  handlesFor,
  isArchived,
  type OrganizationProjects,
  type ProjectRecord,
} from "../../books/accounts/project.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { hourOf, nextHour } from "../../books/billing/period.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import type { AuditFacts } from "../../people/identity/audit.ts";
import type { ProjectChange } from "../../people/identity/audited-projects.ts";
import { type BudgetReading, showLevelBudgets } from "./level-budgets.ts";
import { isName, nameRule } from "./report-parameters.ts";

export const projectStatuses = ["active", "archived"] as const;
type ProjectStatus = (typeof projectStatuses)[number];

/** What a body says of a project. What is absent stays. */
export interface ProjectWanted {
  name?: string;
  status?: ProjectStatus;
  /** User ids; null for a project that is open to every member. */
  members?: readonly string[] | null;
}

/** Reads `name`, `status` and `members`. Throws `invalid_request`, which names the field. */
export function readProjectWanted(fields: Fields): ProjectWanted {
  const name = readNameOf(fields, "name");
  const { members } = fields;
  const status = projectStatuses.find((each) => each === fields.status);
  if (!isAbsent(fields.status) && !status)
    throw invalidField("status", `one of ${projectStatuses.join(", ")}`);
  return {
    ...(name !== undefined && { name }),
    ...(status && { status }),
    ...(members !== undefined && { members: members === null ? null : readMembers(members) }),
  };
}

/** A handle or a displayed name that a body gives; undefined where it gives none. Throws `invalid_request`. */
export function readNameOf(fields: Fields, field: "id" | "name"): string | undefined {
  const given = optionalString(fields, field)?.trim();
  if (given === undefined) return undefined;
  if (given === "" || !isName(given)) throw invalidField(field, `1 to 128 characters: ${nameRule}`);
  checkUnicode(given, field);
  return given;
}

function readMembers(given: unknown): string[] {
  const most = consoleLimits.projectMembersMax;
  const areIds = Array.isArray(given) && given.every((id) => typeof id === "string" && isId(id, "user"));
  if (!areIds || given.length > most)
    throw invalidField("members", `null, or an array of at most ${most} ids of members`);
  return [...new Set(given as string[])];
}

/** A project: what its record says, or what holds for one without a record. */
export interface Project {
  handle: string;
  record: ProjectRecord | undefined;
}

/** What is read to know an organization's projects. */
export interface ProjectReading {
  accounts: Pick<Accounts, "keys" | "projects">;
}

/** All projects of an organization in the order of their handles: those with a record, and those that keys or budgets name. */
export async function projectsOf(
  { id, budgets = [] }: Pick<Organization, "id" | "budgets">,
  { accounts }: ProjectReading,
): Promise<{ projects: Project[]; keys: readonly KeyRecord[] }> {
  const [records, byId] = await Promise.all([accounts.projects(id), keysOf(accounts, id)]);
  const keys = [...byId.values()];
  const found = new Map<string, ProjectRecord | undefined>();
  for (const { project } of keys) if (project !== "") found.set(project, undefined);
  for (const { level, id: handle } of budgets) if (level === "project") found.set(handle, undefined);
  for (const record of records) found.set(record.project, record);
  const projects = [...found].map(([handle, record]) => ({ handle, record }));
  return { projects: projects.sort((a, b) => (a.handle < b.handle ? -1 : 1)), keys };
}

/** A project by its handle. Throws `not_found` where nothing names it. */
export async function projectOfHandle(
  organization: Pick<Organization, "id" | "budgets">,
  handle: string,
  deps: ProjectReading,
): Promise<Project & { keys: readonly KeyRecord[] }> {
  const { projects, keys } = await projectsOf(organization, deps);
  const project = projects.find((each) => each.handle === handle);
  if (!project) throw new GatewayError("not_found", { message: "This organization has no such project." });
  return { ...project, keys: keys.filter((key) => key.project === handle) };
}

/** What tells whether a handle was ever used. */
export interface HandleDeps extends ProjectReading {
  ledger: Pick<Ledger, "hoursWithEntries">;
  now: () => number;
}

/**
 * The handle of a new project: `id` where one is given, else what its name leads to. Nobody has ever used it: no key, budget,
 * project or call. Throws `invalid_state` where the given one is used.
 */
export async function newHandle(
  organization: Organization,
  { id, name }: { id?: string | undefined; name: string },
  deps: HandleDeps,
): Promise<string> {
  const { projects } = await projectsOf(organization, deps);
  const known = new Set(projects.map(({ handle }) => handle));
  const isUsed = async (handle: string) => known.has(handle) || (await hasCalls(organization, handle, deps));
  if (id !== undefined) {
    if (!(await isUsed(id))) return id;
    throw invalidState(
      `The handle \`${id}\` is used already: by a project, a key, a budget or earlier calls.`,
      "project_taken",
    );
  }
  for (const handle of handlesFor(name)) if (!(await isUsed(handle))) return handle;
  throw new Error("there is always one more handle");
}

/** Whether a call was ever made in a project. A key that made some may have come to another project since. */
async function hasCalls(
  { id: organization, created_at }: Organization,
  project: string,
  { ledger, now }: HandleDeps,
): Promise<boolean> {
  const hours = ledger.hoursWithEntries(
    { organization, project },
    hourOf(created_at),
    nextHour(hourOf(now())),
  );
  for await (const _ of hours) return true;
  return false;
}

/** What a change of a project needs to be made. */
interface ChangeOf {
  organization: Organization;
  handle: string;
  before: ProjectRecord | undefined;
  wanted: ProjectWanted;
  /** Since when these users are members of the organization; who is not there is none. */
  since: ReadonlyMap<string, number>;
  /** Of a new project. */
  made?: Pick<ProjectRecord, "created_at" | "created_by">;
}

/** The change that leads to what is wanted. Throws `invalid_request` for one record too many, and for who is no member. */
export function projectChange({
  organization,
  handle,
  before,
  wanted,
  since,
  made,
}: ChangeOf): ProjectChange {
  const { members: _, ...others } = before ?? {
    ...{ organization: organization.id, project: handle, name: handle, revision: -1 },
    ...made,
  };
  const members = wanted.members === undefined ? before?.members : membersOf(wanted.members, since);
  const after: ProjectRecord = {
    ...others,
    name: wanted.name ?? others.name,
    ...(members && { members }),
    revision: others.revision + 1,
  };
  const projects = toldAfter(organization, handle, { isNew: !before, status: wanted.status });
  return { organization, before, after, ...(projects && { projects }) };
}

function membersOf(
  members: readonly string[] | null,
  since: ReadonlyMap<string, number>,
): Record<string, number> | undefined {
  if (members === null) return undefined;
  return Object.fromEntries(
    members.map((id) => {
      const from = since.get(id);
      if (from === undefined) throw invalidField("members", `ids of members: \`${id}\` is none`);
      return [id, from];
    }),
  );
}

/** What the organization says of its projects after a change; undefined where it says the same. */
function toldAfter(
  organization: Organization,
  handle: string,
  { isNew, status }: { isNew: boolean; status: ProjectStatus | undefined },
): OrganizationProjects | undefined {
  const { records, archived } = organization.projects ?? { records: 0, archived: [] };
  const was = isArchived(organization, handle);
  const is = status === undefined ? was : status === "archived";
  if (!isNew && is === was) return undefined;
  const most = consoleLimits.projectsMax;
  if (isNew && records >= most)
    throw invalidRequest(`The organization has ${most} projects that were made or changed.`, "projects_full");
  const others = archived.filter((each) => each !== handle);
  return { records: isNew ? records + 1 : records, archived: is ? [...others, handle] : others };
}

/** What the audit log tells of a project before or after a change. */
export function projectFacts({ before, after, organization, projects }: ProjectChange) {
  const facts = (record: ProjectRecord | undefined, told: OrganizationProjects | undefined): AuditFacts => ({
    name: record?.name ?? after.project,
    status: isArchived({ ...(told && { projects: told }) }, after.project) ? "archived" : "active",
    members: record?.members ? Object.keys(record.members).sort().join(" ") : null,
  });
  const [was, is] = [facts(before, organization.projects), facts(after, projects ?? organization.projects)];
  const differing = Object.keys(is).filter((name) => was[name] !== is[name]);
  const of = (all: AuditFacts) => Object.fromEntries(differing.map((name) => [name, all[name] ?? null]));
  return { all: is, before: of(was), after: of(is) };
}

/** What readers need to show projects. */
export interface ProjectShowing extends BudgetReading {
  /** The names of users, by their ids. */
  users: ReadonlyMap<string, { name: string }>;
  keys: readonly KeyRecord[];
}

/** A project as the interface shows it. `isMember` says which of its members are in the organization still. */
export async function showProjects(
  organization: Organization,
  projects: readonly Project[],
  isMember: (record: ProjectRecord, user: string) => boolean,
  { users, keys, ...reading }: ProjectShowing,
) {
  const handles = new Set(projects.map(({ handle }) => handle));
  const rows = (organization.budgets ?? []).filter(({ level, id }) => level === "project" && handles.has(id));
  const budgets = await showLevelBudgets(organization, rows, undefined, reading);
  const now = reading.now();
  const named = (id: string) => ({ id, name: users.get(id)?.name ?? "" });
  return projects.map(({ handle, record }) => {
    const { members, created_at, created_by } = record ?? {};
    const own = keys.filter(({ project }) => project === handle);
    return {
      id: handle,
      object: "project" as const,
      name: record?.name ?? handle,
      status: isArchived(organization, handle) ? ("archived" as const) : ("active" as const),
      members:
        record && members
          ? Object.keys(members)
              .filter((user) => isMember(record, user))
              .map(named)
          : null,
      keys_in_use: own.filter((key) => isKept(key, now)).length,
      budget: budgets.find(({ id }) => id === handle) ?? null,
      created_at: created_at === undefined ? null : rfc3339(created_at),
      created_by: created_by === undefined ? null : named(created_by),
    };
  });
}
