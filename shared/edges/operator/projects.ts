/** Projects of an organization as operators are shown them. */
import type { Organization } from "../../books/accounts/account.ts";
import { isChosen } from "../../books/accounts/project.ts";
import type { Members } from "../../people/identity/members.ts";
import {
  type Project,
  type ProjectReading,
  type ProjectShowing,
  projectsOf,
  showProjects,
} from "../api/projects.ts";

export interface OperatedProjectDeps extends ProjectReading, Omit<ProjectShowing, "users" | "keys"> {
  members: Pick<Members, "users" | "membership">;
}

/** Projects as a member who sees all of them is shown them. */
export async function showProjectsOf(
  organization: Organization,
  projects: readonly Project[],
  deps: OperatedProjectDeps,
) {
  const listed = projects.flatMap(({ record }) => Object.keys(record?.members ?? {}));
  const made = projects.flatMap(({ record }) => record?.created_by ?? []);
  const [users, since, { keys }] = await Promise.all([
    deps.members.users([...listed, ...made]),
    membersSince(organization, listed, deps),
    projectsOf(organization, deps),
  ]);
  const isMember = (record: Parameters<typeof isChosen>[0], id: string) =>
    isChosen(record, { id, since: since.get(id) ?? -1 });
  return await showProjects(organization, projects, isMember, { ...deps, users, keys });
}

/** All projects of an organization, also those that only keys or budgets name. */
export async function listProjectsOf(organization: Organization, deps: OperatedProjectDeps) {
  const { projects } = await projectsOf(organization, deps);
  return await showProjectsOf(organization, projects, deps);
}

/** Since when those of these users who are members of an organization are there. */
export async function membersSince(
  { id }: Organization,
  users: readonly string[],
  { members }: { members: Pick<Members, "membership"> },
): Promise<ReadonlyMap<string, number>> {
  const found = await Promise.all([...new Set(users)].map((user) => members.membership(id, user)));
  return new Map(found.flatMap((each) => (each ? [[each.user, each.since] as const] : [])));
}
