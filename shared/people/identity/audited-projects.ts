/** Changes of projects, each with its line of the audit log (projects.md "What is stored"). */
import type { OrganizationProjects, ProjectRecord } from "../../books/accounts/project.ts";
import type { AuditEntry } from "./audit.ts";

/** A change of a project, of what was read. */
export interface ProjectChange {
  organization: { id: string; projects?: OrganizationProjects };
  /** Absent: the project has no record yet. */
  before: ProjectRecord | undefined;
  after: ProjectRecord;
  /** What the organization says of its projects then. Absent: the same as before. */
  projects?: OrganizationProjects;
}

/** The store of projects whose changes leave lines. */
export interface AuditedProjects {
  /** Makes a change with its line. False if something is not as it was read: then nothing was written. */
  change(change: ProjectChange, entry: AuditEntry): Promise<boolean>;
}
