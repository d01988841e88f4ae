/** Projects, as members make, change and see them (people/identity/projects.md). */
import { isDeepStrictEqual } from "node:util";
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField } from "../../../base/json/fields.ts";
import type { Accounts, Organization } from "../../../books/accounts/account.ts";
import { isChosen, isOpenTo, type ProjectRecord } from "../../../books/accounts/project.ts";
import type { Ledger } from "../../../books/ledger/ledger.ts";
import type { AuditedProjects, ProjectChange } from "../../../people/identity/audited-projects.ts";
import type { Caller } from "../../../people/identity/caller.ts";
import type { Members } from "../../../people/identity/members.ts";
import { mayDo } from "../../../people/identity/roles.ts";
import type { BudgetReading } from "../../api/level-budgets.ts";
import {
  newHandle,
  type Project,
  type ProjectWanted,
  projectChange,
  projectFacts,
  projectOfHandle,
  projectsOf,
  readNameOf,
  readProjectWanted,
  showProjects,
} from "../../api/projects.ts";
import { readLimit, readProject } from "../../api/report-parameters.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { changedMeanwhile, entryOf } from "./organization-members.ts";

export interface ProjectDeps extends BudgetReading {
  accounts: Pick<Accounts, "organization" | "keys" | "project" | "projects">;
  members: Pick<Members, "membership" | "users">;
  auditedProjects: AuditedProjects;
  ledger: Pick<Ledger, "hoursWithEntries">;
}

type Shown = ConsoleSchema<"Project">;

/** `GET /api/v1/projects?limit=&after=`: all projects, or those that the member may use, in the order of their handles. */
export async function listProjects(call: ConsoleCall, deps: ProjectDeps) {
  const caller = callerOf(call);
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(call.request.query, {
    limit: readLimit(consoleLimits.projectPageMax),
    after: readProject,
  });
  const { projects, keys } = await projectsOf(caller.organization, deps);
  const seen = projects.filter(
    (project) => (after === undefined || project.handle > after) && mayUse(caller, project),
  );
  const page = seen.slice(0, limit);
  const data = await shown(caller, caller.organization, { projects: page, keys }, deps);
  return jsonReply({
    object: "list",
    data,
    has_more: seen.length > limit,
    last_id: page.at(-1)?.handle ?? null,
  });
}

/** `GET /api/v1/projects/{id}`. Throws `not_found` for a project that the member may not use. */
export async function showProject(call: ConsoleCall, deps: ProjectDeps) {
  const caller = callerOf(call);
  const { keys, ...project } = await projectOfHandle(caller.organization, handleOf(call), deps);
  if (!mayUse(caller, project)) throw noProject();
  return await reply(caller, caller.organization, { projects: [project], keys }, deps);
}

/** `POST /api/v1/projects {name, id?, members?}`. */
export async function createProject(call: ConsoleCall, deps: ProjectDeps) {
  const fields = readFields<keyof ConsoleBody<"create_project">>(call.request, ["id", "name", "members"]);
  const wanted = readProjectWanted(fields);
  const { name } = wanted;
  if (name === undefined) throw invalidField("name", "a name");
  const id = readNameOf(fields, "id");
  const made = async (caller: Caller, organization: Organization): Promise<Made> => {
    if (organization.status === "frozen") throw new GatewayError("account_frozen");
    const handle = await newHandle(organization, { id, name }, deps);
    const since = await sinceOf(organization, wanted, deps);
    const by = { created_at: deps.now(), created_by: caller.user.id };
    const change = projectChange({ organization, handle, before: undefined, wanted, since, made: by });
    return { change, keys: [], audited: { kind: "project_created", after: projectFacts(change).all } };
  };
  return await makeChange(call, made, deps);
}

/** `PATCH /api/v1/projects/{id} {name?, status?, members?}`. The first change of a project makes its record. */
export async function changeProject(call: ConsoleCall, deps: ProjectDeps) {
  const names = ["name", "status", "members"] as const;
  const wanted = readProjectWanted(readFields<keyof ConsoleBody<"change_project">>(call.request, names));
  if (Object.keys(wanted).length === 0)
    throw new GatewayError("invalid_request", { message: "Give `name`, `status` or `members`." });
  const handle = handleOf(call);
  const made = async (_: Caller, organization: Organization): Promise<Made> => {
    const { record: before, keys } = await projectOfHandle(organization, handle, deps);
    const since = await sinceOf(organization, wanted, deps);
    const change = projectChange({ organization, handle, before, wanted, since });
    const { before: was, after } = projectFacts(change);
    // Somebody who has left and come back is added anew, which no fact of the line tells.
    const isSame = isDeepStrictEqual(before?.members, change.after.members);
    if (Object.keys(after).length === 0 && isSame) return { change, keys };
    return { change, keys, audited: { kind: "project_changed", before: was, after } };
  };
  return await makeChange(call, made, deps);
}

/** A change, the keys of its project, and its line; without one nothing changes. */
interface Made {
  change: ProjectChange;
  keys: Awaited<ReturnType<typeof projectsOf>>["keys"];
  audited?: Omit<Parameters<typeof entryOf>[1], "subject">;
}

/** Makes a change. Where others changed the same meanwhile, it is asked for again, and at last is `invalid_state`. */
async function makeChange(
  call: ConsoleCall,
  madeOf: (caller: Caller, organization: Organization) => Promise<Made>,
  deps: ProjectDeps,
) {
  const caller = callerOf(call);
  let organization: Organization | undefined = caller.organization;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    if (attempt > 1) organization = await deps.accounts.organization(caller.organization.id);
    if (!organization) break;
    const { change, keys, audited } = await madeOf(caller, organization);
    const { project: subject } = change.after;
    if (audited && !(await deps.auditedProjects.change(change, entryOf(call, { ...audited, subject }, deps))))
      continue;
    const record = audited ? change.after : change.before;
    const after = change.projects ? { ...organization, projects: change.projects } : organization;
    return await reply(caller, after, { projects: [{ handle: subject, record }], keys }, deps);
  }
  throw changedMeanwhile();
}

function handleOf({ parameters: { id = "" } }: ConsoleCall): string {
  return id;
}

/** Since when those who shall be members of a project are in the organization. */
async function sinceOf(
  { id }: Organization,
  { members }: ProjectWanted,
  deps: Pick<ProjectDeps, "members">,
): Promise<ReadonlyMap<string, number>> {
  return await membersSince(id, members ?? [], deps);
}

async function membersSince(
  organization: string,
  users: readonly string[],
  { members }: Pick<ProjectDeps, "members">,
): Promise<ReadonlyMap<string, number>> {
  const found = await Promise.all(users.map((user) => members.membership(organization, user)));
  return new Map(found.flatMap((each) => (each ? [[each.user, each.since]] : [])));
}

/** Whether somebody may use a project, or see it: who sees all usage sees all projects. */
function mayUse({ user, since, projects, role }: Caller, { record }: Project): boolean {
  return mayDo(role, "see_all_usage") || isOpenTo(record, { id: user.id, since, projects });
}

async function reply(
  caller: Caller,
  organization: Organization,
  read: Pick<Awaited<ReturnType<typeof projectsOf>>, "projects" | "keys">,
  deps: ProjectDeps,
) {
  const [project] = await shown(caller, organization, read, deps);
  return jsonReply(project as Shown);
}

/** Projects as a member sees them. Who does not see all members sees of a project's members themselves alone. */
async function shown(
  { user, since, role }: Caller,
  organization: Organization,
  { projects, keys }: Pick<Awaited<ReturnType<typeof projectsOf>>, "projects" | "keys">,
  deps: ProjectDeps,
): Promise<Shown[]> {
  const seesAll = mayDo(role, "manage_members");
  const records = projects.flatMap(({ record }) => record ?? []);
  const listed = seesAll
    ? [...new Set(records.flatMap(({ members = {} }) => Object.keys(members)))]
    : [user.id];
  const known = seesAll ? await membersSince(organization.id, listed, deps) : new Map([[user.id, since]]);
  const users = await deps.members.users([
    ...listed,
    ...records.flatMap(({ created_by }) => created_by ?? []),
  ]);
  const isMember = (record: ProjectRecord, id: string) => {
    const from = known.get(id);
    return from !== undefined && isChosen(record, { id, since: from });
  };
  return await showProjects(organization, projects, isMember, { ...deps, users, keys });
}

function noProject(): GatewayError {
  return new GatewayError("not_found", { message: "This organization has no such project." });
}
