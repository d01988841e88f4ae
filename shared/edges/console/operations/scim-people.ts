/** `/scim/v2/Users`: people whom the organization's provider provisions (people/scim/README.md). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import type { HttpReply } from "../../../base/http/message.ts";
import { isId, newId } from "../../../base/platform/id.ts";
import type { Membership, User } from "../../../people/identity/user.ts";
import { scimLimits } from "../../../people/scim/bounds.ts";
import {
  type DirectoryPerson,
  groupsOf,
  type PersonChange,
  type Standing,
} from "../../../people/scim/directory.ts";
import { type FilterCondition, unfiltered } from "../../../people/scim/filter.ts";
import { comparedName, userNameOf } from "../../../people/scim/names.ts";
import { readPatch } from "../../../people/scim/patch.ts";
import { changedPerson, type PersonFields, personResource, readPerson } from "../../../people/scim/person.ts";
import { grantOfNew, standingFor } from "../../../people/scim/standing.ts";
import type { OwnAddress } from "../../../people/sign-on/entering.ts";
import type { ConsoleRequest } from "../call.ts";
import { scimReply } from "../scim.ts";
import { contended, lineBy, noToken, readScimBody, type ScimCaller } from "./scim-caller.ts";
import type { ScimDeps } from "./scim-deps.ts";
import { type ListAsked, listReply, readList, shownPart } from "./scim-list.ts";
import { nameOfNew } from "./scim-names.ts";
import {
  changePerson,
  changesOf,
  endBy,
  factsOf,
  memberName,
  noPerson,
  type RolePlace,
  refuseOwner,
  rolePlace,
} from "./scim-person-change.ts";
import { localeOf } from "./sign-in-locale.ts";

/** `GET /Users?filter=&startIndex=&count=`, in the order in which they were made. */
export async function listPeople(caller: ScimCaller, deps: ScimDeps): Promise<HttpReply> {
  const asked = readList(caller.request);
  const [groups, { total, people }] = await Promise.all([
    deps.directories.groups(caller.organization),
    peopleFor(caller, asked, deps),
  ]);
  const resources = people.map((person) => personResource(person, groupsOf(person, groups), caller.base));
  return listReply(caller.request, { total, start: asked.start, resources });
}

interface FoundPeople {
  total: number;
  people: DirectoryPerson[];
}

async function peopleFor(caller: ScimCaller, asked: ListAsked, deps: ScimDeps): Promise<FoundPeople> {
  const { conditions, start, count } = asked;
  const from = start - 1;
  const matching = conditions.map(readCondition);
  const fits = (person: DirectoryPerson) => matching.every((each) => each(person));
  const named = conditions.find(({ attribute }) => attribute === "username" || attribute === "id");
  if (named) {
    const person = await personNamed(caller, named, deps);
    const people = person && fits(person) ? [person] : [];
    return { total: people.length, people: people.slice(from, from + count) };
  }
  const people: DirectoryPerson[] = [];
  let seen = 0;
  for await (const person of deps.directories.people(caller.organization)) {
    // Without a filter the count of all is known, so nobody behind the page is read.
    if (matching.length === 0 && people.length === count) break;
    if (!fits(person)) continue;
    seen += 1;
    if (seen > from && people.length < count) people.push(person);
  }
  return { total: matching.length === 0 ? caller.people : seen, people };
}

/** The one person who can have a name or an id. */
async function personNamed(
  { organization }: ScimCaller,
  { attribute, value }: FilterCondition,
  { directories }: ScimDeps,
): Promise<DirectoryPerson | undefined> {
  if (typeof value !== "string") return undefined;
  const id = attribute === "id" ? value : await directories.holder(organization, comparedName(value));
  return id !== undefined && isId(id, "user") ? await directories.person(organization, id) : undefined;
}

const same = (one: string | null, value: string | boolean) =>
  typeof value === "string" && one?.toLowerCase() === value.toLowerCase();

/** Whether a person is as a condition says. Throws `invalidFilter` for an attribute that nobody filters by. */
function readCondition({ attribute, value }: FilterCondition): (person: DirectoryPerson) => boolean {
  if (attribute === "id") return ({ id }) => id === value;
  if (attribute === "username") return ({ user_name }) => same(user_name, value);
  if (attribute === "externalid") return ({ external_id }) => external_id === value;
  if (attribute === "displayname") return ({ display_name }) => same(display_name, value);
  if (attribute === "active") return ({ active }) => active === value;
  if (/^emails(?:\[.*\])?(?:\.value)?$/.test(attribute))
    return ({ emails }) => emails.some((email) => same(email.value, value));
  throw unfiltered(["userName", "externalId", "displayName", "emails.value", "active", "id"]);
}

/** `GET /Users/{id}`. */
export async function showPerson(caller: ScimCaller, id: string, deps: ScimDeps): Promise<HttpReply> {
  const [person, groups] = await Promise.all([
    isId(id, "user") ? deps.directories.person(caller.organization, id) : undefined,
    deps.directories.groups(caller.organization),
  ]);
  if (!person) throw noPerson();
  return personReply(caller, person, { groups });
}

function personReply(
  caller: ScimCaller,
  person: DirectoryPerson,
  { groups }: Pick<RolePlace, "groups">,
  status?: number,
): HttpReply {
  const resource = personResource(person, groupsOf(person, groups), caller.base);
  const reply = scimReply(shownPart(caller.request, resource), status);
  return status === 201
    ? { ...reply, headers: { ...reply.headers, location: resource.meta.location } }
    : reply;
}

/** `POST /Users`. Somebody who has signed in by the user name before is that person. */
export async function createPerson(caller: ScimCaller, deps: ScimDeps): Promise<HttpReply> {
  const fields = readPerson(readScimBody(caller.request), true);
  const place = await rolePlace(caller, deps);
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const { person, user, taken, role, standing, found } = await newPerson(caller, fields, place, deps);
    const entries = changesOf({ after: person, standing }, place).map((each) =>
      lineBy(caller, each, person.created_at),
    );
    const change = {
      ...{ organization: caller.organization, after: person, taken: [taken], freed: [], entries },
      ...(user && { user }),
      ...(standing && { standing }),
      ...found,
    };
    const outcome = await deps.directories.change(change, caller.token);
    if (outcome === "full") throw full(caller);
    if (outcome !== "done") continue;
    if (!user) await endBy(caller, { id: person.id, role }, deps);
    return personReply(caller, person, place, 201);
  }
  throw contended();
}

/** Reads whose the user name is, and says who comes of it. Throws `uniqueness` where another person has the user name. */
async function newPerson(caller: ScimCaller, fields: PersonFields, place: RolePlace, deps: ScimDeps) {
  const { organization, request } = caller;
  const { taken, back, membership, own } = await nameOfNew(caller, fields, deps);
  const known = membership?.user ?? (back && taken.from);
  // An account of before a release is nobody also once its person comes back.
  const released_at = back?.released_at;
  if (!fields.active) refuseOwner(membership);
  const at = deps.now();
  const person: DirectoryPerson = {
    ...{ id: known ?? newId("user", at), organization, ...fields, groups: [] },
    ...{ made: known === undefined, revision: 1, created_at: at, changed_at: at },
    ...(released_at !== undefined && { released_at }),
    // Nobody has signed in yet as a member whom their own address has found.
    linked_issuer: known === undefined || own ? null : (place.connection?.issuer ?? null),
  };
  const grant = grantOfNew(person, { ...place, membership });
  const standing = standingFor(person, { grant, membership }, at);
  const user = known === undefined ? newUser(person, request) : undefined;
  return { person, user, taken, role: grant.role, standing, found: foundBy(own, { membership, standing }) };
}

/** The conditions on a member whom SCIM names. A membership that ends has a condition of its own. */
function foundBy(
  own: OwnAddress | undefined,
  { membership, standing }: { membership: Membership | undefined; standing: Standing | undefined },
): Pick<PersonChange, "own" | "holding"> {
  return { ...(own && { own }), ...(membership && !standing && { holding: membership }) };
}

/** A user without a contact: their provider is the only way in. The organization of their own is never made. */
function newUser(person: DirectoryPerson, { headers }: ConsoleRequest): User {
  const { id, created_at } = person;
  return {
    ...{ id, name: memberName(person), locale: localeOf({}, headers), status: "active" },
    ...{ organization: newId("organization", created_at), created_at },
  };
}

function full({ people }: ScimCaller): GatewayError {
  if (people < scimLimits.peopleMax) return noToken();
  const message = `An organization has at most ${scimLimits.peopleMax} users of its provider.`;
  return new GatewayError("permission_denied", { message });
}

/** `PUT /Users/{id}`. `active` stays as it is where it is not said. */
export async function replacePerson(caller: ScimCaller, id: string, deps: ScimDeps): Promise<HttpReply> {
  const body = readScimBody(caller.request);
  return await edited(caller, id, (before) => readPerson(body, before.active), deps);
}

/** `PATCH /Users/{id}`. */
export async function patchPerson(caller: ScimCaller, id: string, deps: ScimDeps): Promise<HttpReply> {
  const steps = readPatch(readScimBody(caller.request));
  return await edited(caller, id, (before) => changedPerson(before, steps), deps);
}

async function edited(
  caller: ScimCaller,
  id: string,
  fieldsOf: (before: DirectoryPerson) => PersonFields,
  deps: ScimDeps,
): Promise<HttpReply> {
  if (!isId(id, "user")) throw noPerson();
  const place = await rolePlace(caller, deps);
  const edit = (before: DirectoryPerson): DirectoryPerson => {
    const after = { ...before, ...fieldsOf(before) };
    return JSON.stringify(after) === JSON.stringify(before) ? before : after;
  };
  return personReply(caller, await changePerson(caller, { id, edit, place }, deps), place);
}

/**
 * `DELETE /Users/{id}`. The person is deactivated first: if the process dies in between, a repetition ends the rest. The
 * names of somebody who has signed in stay theirs, so that SCIM finds them again.
 */
export async function removePerson(caller: ScimCaller, id: string, deps: ScimDeps): Promise<HttpReply> {
  if (!isId(id, "user")) throw noPerson();
  const { organization } = caller;
  const place = await rolePlace(caller, deps);
  const edit = (before: DirectoryPerson) => (before.active ? { ...before, active: false } : before);
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const before = await changePerson(caller, { id, edit, place }, deps);
    const audited = { kind: "person_removed", subject: id, before: factsOf(before, place) } as const;
    const freed = before.linked_issuer === null ? [userNameOf(before)] : [];
    const change = { organization, before, taken: [], freed, entries: [lineBy(caller, audited, deps.now())] };
    if ((await deps.directories.change(change, caller.token)) === "done")
      return { status: 204, headers: {}, body: "" };
  }
  throw contended();
}
