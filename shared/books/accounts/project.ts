/**
 * Projects of an organization (people/identity/projects.md). A project is known by its handle: the text that keys, entries,
 * rollups and budgets have. It never changes.
 */

/** What the organization's record says of its projects. Absent there: no project has a record. */
export interface OrganizationProjects {
  /** How many projects have a record. */
  records: number;
  /** The handles of those that are archived. */
  archived: string[];
}

/** What was given to a project beside its handle. A project without a record is active and open, and called as its handle. */
export interface ProjectRecord {
  organization: string;
  /** The handle. */
  project: string;
  name: string;
  /** Since when each of its members is in the organization, by user id. Absent: it is open to every member. */
  members?: Record<string, number>;
  /** Unix milliseconds. Absent: keys or budgets named it before it had a record. */
  created_at?: number;
  /** The user who made it. Absent: an operator did, or nobody. */
  created_by?: string;
  /** How often it was changed since it has a record. */
  revision: number;
}

/** The records of projects. Every read is strongly consistent. */
export interface Projects {
  project(organization: string, handle: string): Promise<ProjectRecord | undefined>;
  /** All of an organization, in the order of their handles. */
  projects(organization: string): Promise<ProjectRecord[]>;
}

/** Whether a project is archived. "" is none. */
export function isArchived({ projects }: { projects?: OrganizationProjects }, handle: string): boolean {
  return projects?.archived.includes(handle) ?? false;
}

/** Somebody in an organization, and since when, Unix milliseconds. */
export interface MemberSince {
  id: string;
  since: number;
  /** The handles of projects of which their groups make them a member. */
  projects: readonly string[];
}

/** Whether somebody chose a member for a project, who has not left the organization since. */
export function isChosen(
  { members }: Pick<ProjectRecord, "members">,
  { id, since }: Omit<MemberSince, "projects">,
): boolean {
  return members !== undefined && Object.hasOwn(members, id) && members[id] === since;
}

/** Whether somebody may use a project: it is open, or they are a member of it, by choice or by a group. */
export function isOpenTo(
  record: Pick<ProjectRecord, "project" | "members"> | undefined,
  person: MemberSince,
): boolean {
  return (
    record?.members === undefined || person.projects.includes(record.project) || isChosen(record, person)
  );
}

/** The most characters that a handle takes from a name. */
const slugCharsMax = 48;

/** The handle that a project of this name gets where nobody has it: its letters and digits, joined by `-`. */
function slugOf(name: string): string {
  const words = name
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u);
  const cut = Array.from(words.filter(Boolean).join("-")).slice(0, slugCharsMax).join("");
  return cut.replace(/-$/, "") || "project";
}

/** Handles for a project of this name, in the order in which they are tried. */
export function* handlesFor(name: string): Generator<string> {
  const slug = slugOf(name);
  yield slug;
  for (let next = 2; ; next++) yield `${slug}-${next}`;
}
