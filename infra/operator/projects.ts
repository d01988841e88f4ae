/** The operator's commands on projects (shared/people/identity/projects.md). */

import type { Organization } from "#shared/books/accounts/account.ts";
import {
  newHandle,
  type Project,
  projectChange,
  projectFacts,
  projectOfHandle,
  projectStatuses,
  readNameOf,
  readProjectWanted,
} from "#shared/edges/api/projects.ts";
import { listProjectsOf, membersSince, showProjectsOf } from "#shared/edges/operator/projects.ts";
import { createAuditedProjects } from "#shared/edges/store/identity/audited-projects.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { type AuditedChange, auditEntry } from "#shared/people/identity/audit.ts";
import type { ProjectChange } from "#shared/people/identity/audited-projects.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { type CommandGroup, choice, command, flag, needed, onOff } from "./command.ts";
import { org, sampleOrganization } from "./key-flags.ts";
import { organizationOf, type Stores, storesOf } from "./stores.ts";

const operands = [
  {
    name: "PROJECT",
    what: "the project's handle",
    missing: "give the handle of the project; project list shows it",
  },
];

const sampleUser = "usr_01M81Z5H5K9AHWPQ118FTWPX14";

/** Projects with what their showing reads. */
async function shown(organization: Organization, projects: Project[], stores: Stores) {
  const { aws, tables } = stores.connection;
  return await showProjectsOf(organization, projects, { ...stores, members: createMembers(aws, tables) });
}

/** Makes a change with its line, and shows the project after it. */
async function make(change: ProjectChange, audited: Omit<AuditedChange, "subject">, stores: Stores) {
  const { aws, tables } = stores.connection;
  const { id } = change.organization;
  const { project: subject } = change.after;
  const actor = { user: byOperator, organization: { id } };
  const entry = auditEntry(actor, { ...audited, subject }, byOperator.ip, stores.now());
  if (!(await createAuditedProjects(aws, tables).change(change, entry)))
    throw new Error("somebody else changed the projects at the same time: repeat the command");
  return await showOne(id, { handle: subject, record: change.after }, stores);
}

async function showOne(id: string, project: Project, stores: Stores) {
  const [value] = await shown(await organizationOf(stores, id), [project], stores);
  return { value };
}

const list = command({
  words: "project list",
  what: "lists the projects of an organization, also those that only keys or budgets name",
  flags: { org },
  examples: { [`--org ${sampleOrganization}`]: "the projects of one organization" },
  async run(call) {
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.flags.org);
    const { aws, tables } = stores.connection;
    const value = await listProjectsOf(organization, { ...stores, members: createMembers(aws, tables) });
    return { value };
  },
});

const create = command({
  words: "project create",
  what: "makes a project",
  more: "Its handle is what keys have as their project. It comes from the name unless --id gives it, and never changes.",
  flags: {
    org,
    name: needed(flag("N", "what it is called")),
    id: flag("PROJECT", "its handle, which nobody has used"),
  },
  examples: { [`--org ${sampleOrganization} --name 'Search team'`]: "the project search-team" },
  async run(call) {
    const { name, id } = call.flags;
    const wanted = readProjectWanted({ name });
    const given = readNameOf({ id }, "id");
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.flags.org);
    const handle = await newHandle(organization, { id: given, name: wanted.name ?? name }, stores);
    const made = { created_at: stores.now() };
    const change = projectChange({ organization, handle, before: undefined, wanted, since: new Map(), made });
    return await make(change, { kind: "project_created", after: projectFacts(change).all }, stores);
  },
});

const change = command({
  words: "project change",
  what: "renames, archives or opens a project, or chooses its members",
  more: "Calls of an archived project's keys get 40101 within half a minute. Only its members make keys in it, and who manages all keys.",
  operands,
  flags: {
    org,
    name: flag("N", "what it is called"),
    status: choice(projectStatuses, "whether its keys make calls"),
    members: flag("ID,…", "its members alone, by their ids"),
    open: onOff("opens it to every member of the organization"),
  },
  examples: {
    [`search-team --org ${sampleOrganization} --status archived`]: "its keys make no calls",
    [`search-team --org ${sampleOrganization} --status active`]: "they make calls again",
    [`search-team --org ${sampleOrganization} --members ${sampleUser}`]:
      "of the members, this one alone makes keys in it",
  },
  async run(call) {
    const { name, status, members, open } = call.flags;
    if (open && members !== undefined) throw new Error("give --members or --open, and not both");
    const chosen = open ? { members: null } : members !== undefined && { members: members.split(",") };
    const wanted = readProjectWanted({ name, status, ...chosen });
    if (Object.keys(wanted).length === 0) throw new Error("give --name, --status, --members or --open");
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.flags.org);
    const { handle, record: before } = await projectOfHandle(organization, call.operand, stores);
    const { aws, tables } = stores.connection;
    const known = { members: createMembers(aws, tables) };
    const since = await membersSince(organization, wanted.members ?? [], known);
    const made = projectChange({ organization, handle, before, wanted, since });
    const { before: was, after } = projectFacts(made);
    if (Object.keys(after).length === 0)
      return await showOne(organization.id, { handle, record: before }, stores);
    return await make(made, { kind: "project_changed", before: was, after }, stores);
  },
});

export const projects: CommandGroup = { title: "Projects", commands: [list, create, change] };
