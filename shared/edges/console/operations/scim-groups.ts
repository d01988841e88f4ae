/** `/scim/v2/Groups`: groups of the organization's provider, by whose names roles are given (people/scim/README.md). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import type { HttpReply } from "../../../base/http/message.ts";
import { eachOf } from "../../../base/platform/each-of.ts";
import { isId, newId } from "../../../base/platform/id.ts";
import type { AuditKind } from "../../../people/identity/audit.ts";
import { scimLimits } from "../../../people/scim/bounds.ts";
import type { DirectoryGroup, DirectoryGroups, DirectoryPerson } from "../../../people/scim/directory.ts";
import { type FilterCondition, unfiltered } from "../../../people/scim/filter.ts";
import {
  editBy,
  type GroupEdit,
  groupResource,
  type MemberEdit,
  readGroup,
} from "../../../people/scim/group.ts";
import { readPatch } from "../../../people/scim/patch.ts";
import { invalidValue, ScimError } from "../../../people/scim/scim-error.ts";
import { scimReply } from "../scim.ts";
import { contended, lineBy, readScimBody, type ScimCaller } from "./scim-caller.ts";
import type { ScimDeps } from "./scim-deps.ts";
import { isShown, listReply, readList, shownPart } from "./scim-list.ts";
import { changePerson, type RolePlace, rolePlace } from "./scim-person-change.ts";

type Member = Pick<DirectoryPerson, "id" | "user_name" | "groups">;

/** `GET /Groups?filter=&startIndex=&count=`. Members are read only where they are shown. */
export async function listGroups(caller: ScimCaller, deps: ScimDeps): Promise<HttpReply> {
  const { conditions, start, count } = readList(caller.request);
  const { list } = await deps.directories.groups(caller.organization);
  const wanted = await Promise.all(conditions.map((each) => readCondition(caller, each, deps)));
  const found = list.filter((group) => wanted.every((fits) => fits(group)));
  const shown = found.slice(start - 1, start - 1 + count);
  const members = await membersOf(caller, shown, deps);
  const resources = shown.map((group) => groupResource(group, members?.(group), caller.base));
  return listReply(caller.request, { total: found.length, start, resources });
}

/** Whether a group is as a condition says. Throws `invalidFilter` for an attribute that nobody filters by. */
async function readCondition(
  { organization }: ScimCaller,
  { attribute, value }: FilterCondition,
  { directories }: ScimDeps,
): Promise<(group: DirectoryGroup) => boolean> {
  const text = typeof value === "string" ? value : "";
  if (attribute === "id") return ({ id }) => id === text;
  if (attribute === "displayname") return ({ name }) => name.toLowerCase() === text.toLowerCase();
  if (attribute === "externalid") return ({ external_id }) => external_id === text;
  if (attribute === "members" || attribute === "members.value") {
    const person = isId(text, "user") ? await directories.person(organization, text) : undefined;
    return ({ id }) => person?.groups.includes(id) === true;
  }
  throw unfiltered(["displayName", "externalId", "members", "id"]);
}

/** Who is in which of some groups; undefined where nobody asks for that. */
async function membersOf(
  { organization, request }: ScimCaller,
  groups: readonly DirectoryGroup[],
  { directories }: ScimDeps,
): Promise<((group: DirectoryGroup) => Member[]) | undefined> {
  if (!isShown(request, "members")) return undefined;
  const found = new Map<string, Member[]>(groups.map(({ id }) => [id, []]));
  if (groups.length > 0)
    for await (const person of directories.people(organization))
      for (const group of person.groups) found.get(group)?.push(person);
  return ({ id }) => found.get(id) ?? [];
}

/** `GET /Groups/{id}`. */
export async function showGroup(caller: ScimCaller, id: string, deps: ScimDeps): Promise<HttpReply> {
  const { list } = await deps.directories.groups(caller.organization);
  return await groupReply(caller, { group: groupIn({ list }, id) }, deps);
}

function groupIn({ list }: Pick<DirectoryGroups, "list">, id: string): DirectoryGroup {
  const group = list.find((each) => each.id === id);
  if (!group) throw new GatewayError("not_found", { message: "There is no such group." });
  return group;
}

async function groupReply(
  caller: ScimCaller,
  { group, status }: { group: DirectoryGroup; status?: number },
  deps: ScimDeps,
): Promise<HttpReply> {
  const members = await membersOf(caller, [group], deps);
  const resource = groupResource(group, members?.(group), caller.base);
  const reply = scimReply(shownPart(caller.request, resource), status);
  return status === 201
    ? { ...reply, headers: { ...reply.headers, location: resource.meta.location } }
    : reply;
}

/** `POST /Groups`. */
export async function createGroup(caller: ScimCaller, deps: ScimDeps): Promise<HttpReply> {
  const { name, external_id, members } = readGroup(readScimBody(caller.request));
  await requirePeople(caller, members, deps);
  const at = deps.now();
  const group: DirectoryGroup = {
    ...{ id: newId("group", at), name, external_id: external_id ?? null, created_at: at, changed_at: at },
  };
  await changeGroups(caller, { kind: "group_made", group: () => group }, deps);
  // Nobody can have been in it, so nobody has to be looked for who leaves.
  await moveMembers(caller, { group: group.id, members: { ...members, keeps: true } }, deps);
  return await groupReply(caller, { group, status: 201 }, deps);
}

/** `PUT /Groups/{id}`: whoever is not named is out. */
export async function replaceGroup(caller: ScimCaller, id: string, deps: ScimDeps): Promise<HttpReply> {
  return await edited(caller, id, readGroup(readScimBody(caller.request)), deps);
}

/** `PATCH /Groups/{id}`. */
export async function patchGroup(caller: ScimCaller, id: string, deps: ScimDeps): Promise<HttpReply> {
  return await edited(caller, id, editBy(readPatch(readScimBody(caller.request))), deps);
}

async function edited(
  caller: ScimCaller,
  id: string,
  { name, external_id, members }: GroupEdit,
  deps: ScimDeps,
): Promise<HttpReply> {
  groupIn(await deps.directories.groups(caller.organization), id);
  await requirePeople(caller, members, deps);
  const change = (before: DirectoryGroups): DirectoryGroup => {
    const group = groupIn(before, id);
    const after = { ...group, name: name ?? group.name };
    return { ...after, external_id: external_id === undefined ? group.external_id : external_id };
  };
  const { group, isRenamed } = await changeGroups(caller, { kind: "group_changed", group: change }, deps);
  // Whoever says a name says it again after a death in between. So it moves everybody, also where it is there already.
  const isNamed = isRenamed || name !== undefined;
  await moveMembers(caller, { group: id, members, isNamed }, deps);
  return await groupReply(caller, { group }, deps);
}

/** `DELETE /Groups/{id}`. Its people leave first: if the process dies in between, a repetition goes on. */
export async function removeGroup(caller: ScimCaller, id: string, deps: ScimDeps): Promise<HttpReply> {
  const nobody: MemberEdit = { keeps: false, in: new Set(), out: new Set() };
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    groupIn(await deps.directories.groups(caller.organization), id);
    await moveMembers(caller, { group: id, members: nobody }, deps);
    const before = await deps.directories.groups(caller.organization);
    const { name } = groupIn(before, id);
    const list = before.list.filter((each) => each.id !== id);
    const line = lineBy(caller, { kind: "group_removed", subject: id, before: { name } }, deps.now());
    if (await deps.directories.changeGroups(before, list, line))
      return { status: 204, headers: {}, body: "" };
  }
  throw contended();
}

interface GroupChange {
  kind: AuditKind;
  group: (before: DirectoryGroups) => DirectoryGroup;
}

/** Writes a group that is new or another one than before. Throws `uniqueness` where another group has its name. */
async function changeGroups(
  caller: ScimCaller,
  { kind, group: wanted }: GroupChange,
  { directories, now }: ScimDeps,
): Promise<{ group: DirectoryGroup; isRenamed: boolean }> {
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const before = await directories.groups(caller.organization);
    const group = wanted(before);
    const old = before.list.find(({ id }) => id === group.id);
    const isSame = old?.name === group.name && old.external_id === group.external_id;
    if (old && isSame) return { group: old, isRenamed: false };
    refuseGroup(before, group);
    const at = now();
    const after = { ...group, changed_at: at };
    const list = old ? before.list.map((each) => (each === old ? after : each)) : [...before.list, after];
    const facts = { ...(old && { before: { name: old.name } }), after: { name: group.name } };
    const line = lineBy(caller, { kind, subject: group.id, ...facts }, at);
    if (await directories.changeGroups(before, list, line))
      return { group: after, isRenamed: old !== undefined && old.name !== group.name };
  }
  throw contended();
}

/** Roles are given by names, so two groups have different ones. */
function refuseGroup({ list }: DirectoryGroups, { id, name }: DirectoryGroup): void {
  const others = list.filter((each) => each.id !== id);
  if (others.some((each) => each.name.toLowerCase() === name.toLowerCase()))
    throw new ScimError("invalid_state", "uniqueness", "Another group has this name.");
  if (others.length < scimLimits.groupsMax) return;
  const message = `An organization has at most ${scimLimits.groupsMax} groups of its provider.`;
  throw new GatewayError("permission_denied", { message });
}

/** Throws `invalidValue` where somebody who comes in is not there. Nothing is written then. */
async function requirePeople({ organization }: ScimCaller, members: MemberEdit, { directories }: ScimDeps) {
  const unknown: string[] = [];
  await eachOf([...members.in], scimLimits.changesAtOnce, async (id) => {
    if (!isId(id, "user") || !(await directories.person(organization, id))) unknown.push(id);
  });
  const [first] = unknown;
  if (first !== undefined) throw invalidValue("members", `ids of users: ${first.slice(0, 64)} is none`);
}

interface GroupMove {
  group: string;
  members: MemberEdit;
  /** The role of everybody in it may be another one. */
  isNamed?: boolean;
}

/** Each person changes by themselves. If the process dies in between, a repetition moves the rest. */
async function moveMembers(
  caller: ScimCaller,
  { group, members, isNamed = false }: GroupMove,
  deps: ScimDeps,
): Promise<void> {
  const place = await rolePlace(caller, deps);
  const moving = new Set([...members.in, ...members.out]);
  if (!members.keeps || isNamed)
    for await (const person of deps.directories.people(caller.organization))
      if (person.groups.includes(group)) moving.add(person.id);
  const failed: unknown[] = [];
  await eachOf([...moving], scimLimits.changesAtOnce, async (id) => {
    if (isId(id, "user"))
      await moveOne(caller, { id, group, members, place }, deps).catch((error) => failed.push(error));
  });
  // All others have moved by then, so nothing goes on behind the answer.
  if (failed.length > 0) throw failed[0];
}

async function moveOne(
  caller: ScimCaller,
  { id, group, members, place }: GroupMove & { id: string; place: RolePlace },
  deps: ScimDeps,
): Promise<void> {
  const edit = (before: DirectoryPerson): DirectoryPerson => {
    const was = before.groups.includes(group);
    const is = members.in.has(id) || (was && members.keeps && !members.out.has(id));
    if (was === is) return before;
    const others = before.groups.filter((each) => each !== group);
    return { ...before, groups: is ? [...others, group] : others };
  };
  await changePerson(caller, { id, edit, place }, deps).catch((error: unknown) => {
    // Somebody who is gone meanwhile is in no group.
    if (!(error instanceof GatewayError) || error.key !== "not_found") throw error;
  });
}
