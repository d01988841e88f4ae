/** What SCIM says of somebody who signs on (people/scim/README.md "The same person"). */
import { GatewayError } from "../../../base/errors.ts";
import type { Membership } from "../../../people/identity/user.ts";
import {
  type Directory,
  type DirectoryPerson,
  type GonePerson,
  groupsOf,
} from "../../../people/scim/directory.ts";
import { comparedName, namesOf } from "../../../people/scim/names.ts";
import type { LinkedPerson, SignOnConnection } from "../../../people/sign-on/connection.ts";
import type { GroupsRead, TakenName } from "../../../people/sign-on/entering.ts";
import { deactivated } from "./sign-on-deactivated.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";

export interface ToldByScim {
  /** Whose sign-in it is; undefined for somebody new. */
  user: string | undefined;
  /** Their place at the provider counts: nobody has released it. */
  isPlaced: boolean;
  /** When the sign-in of that user was released last, Unix milliseconds. */
  released_at: number | undefined;
  /** Whether the provider provisions people now. Then nobody else becomes a member by a sign-in. */
  isProvisioning: boolean;
  person: DirectoryPerson | undefined;
  /** Their name or external id has found the person, and no account of theirs: it is a claim of the provider. */
  isFound: boolean;
  /** They came in before SCIM named them, and it has deactivated the person whom it made of them since. */
  isOff: boolean;
  /** Names of their groups, where SCIM decides by them, and which revision of the groups has them. */
  groups: { names: string[]; asRead: GroupsRead } | undefined;
  /** The address by which SCIM finds them later. */
  named: TakenName | undefined;
}

interface Comer {
  /** Their place at the provider, where they have been here. */
  place: LinkedPerson | undefined;
  /** Who joins their account to it. */
  joins: string | undefined;
  /** A verified address in a proved domain. */
  address: string | undefined;
  /** The claims that are texts. */
  texts: ReadonlyMap<string, string>;
}

type ToldDeps = Pick<SignOnDeps, "directories" | "members">;

/**
 * Reads what SCIM says of somebody. Where it has said nothing yet, two items are read, and one more of who was here before.
 */
export async function toldByScim(
  { organization, issuer }: Pick<SignOnConnection, "organization" | "issuer">,
  { place, joins, address, texts }: Comer,
  { directories, members }: ToldDeps,
): Promise<ToldByScim> {
  const name = address === undefined ? undefined : comparedName(address);
  const [directory, holder] = await Promise.all([
    directories.read(organization),
    name === undefined ? undefined : directories.holder(organization, name),
  ]);
  const isProvisioning = directory.token !== null;
  const personOf = async (user: string | undefined) =>
    user === undefined || directory.people === 0 ? undefined : await directories.person(organization, user);
  const placed = await personOf(place?.user);
  const last = placed ?? (place && (await directories.gone(organization, place.user)));
  const isPlaced = place !== undefined && !isReleased(place, last);
  const known = isPlaced ? place.user : joins;
  const own = known === place?.user ? placed : await personOf(known);
  const isUnnamed = known !== undefined && own === undefined && isProvisioning;
  const asked = { name, external_id: texts.get(directory.external_id_claim ?? "") };
  const wanted =
    known === undefined || isUnnamed ? await personNamed(directory, asked, directories) : undefined;
  // Somebody whom SCIM has deleted, and made anew as another one.
  const hasLeft =
    isUnnamed && joins === undefined && wanted && !(await members.membership(organization, known));
  const mayFind = known === undefined || hasLeft === true;
  const isFound = mayFind && wanted !== undefined && isUnlinked(wanted, issuer);
  const user = isFound ? wanted.id : known;
  const person = isFound ? wanted : own;
  const isOthers = holder !== undefined && (holder === user || (await personOf(holder)) !== undefined);
  const isNamed = name !== undefined && !person && !isOthers;
  const groups = person && isProvisioning ? await directories.groups(organization) : undefined;
  return {
    ...{ user, isPlaced, isProvisioning, person, isFound },
    released_at: (user === place?.user ? last : person)?.released_at,
    isOff: isUnnamed && wanted?.active === false,
    groups:
      person && groups && groups.list.length > 0
        ? { names: groupsOf(person, groups).map((group) => group.name), asRead: groups }
        : undefined,
    named: isNamed ? { name, from: holder } : undefined,
  };
}

/** Whether a place at the provider is from before an owner released the sign-in of its person, who may be deleted since. */
function isReleased(
  { since }: Pick<LinkedPerson, "since">,
  person: Pick<GonePerson, "released_at"> | undefined,
): boolean {
  return since <= (person?.released_at ?? -1);
}

/** Whether a place counts: whoever comes by it is the user whom it names. */
export async function isPlaceOf(
  place: LinkedPerson,
  { directories }: Pick<SignOnDeps, "directories">,
): Promise<boolean> {
  const { organization, user } = place;
  const person = await directories.person(organization, user);
  return !isReleased(place, person ?? (await directories.gone(organization, user)));
}

/** Whether nobody signs in as a person by an issuer: then whoever their provider calls so does. */
function isUnlinked({ linked_issuer, made }: DirectoryPerson, issuer: string): boolean {
  return linked_issuer === null || (made && linked_issuer !== issuer);
}

interface AskedPerson {
  name: string | undefined;
  external_id: string | undefined;
}

/**
 * The one person with a name, or with an external id where a claim has it. Two are nobody: an address may be that of
 * several. All people are read, at the first sign-in of somebody.
 */
async function personNamed(
  { organization, people, external_id_claim }: Directory,
  { name, external_id }: AskedPerson,
  directories: SignOnDeps["directories"],
): Promise<DirectoryPerson | undefined> {
  const wanted = external_id_claim === null ? name : external_id;
  if (people === 0 || wanted === undefined) return undefined;
  const found: DirectoryPerson[] = [];
  for await (const person of directories.people(organization)) {
    const names = external_id_claim === null ? namesOf(person) : [person.external_id];
    if (names.includes(wanted)) found.push(person);
  }
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Throws `permission_denied` for an owner whom a name or an external id has found: whoever runs the provider would become
 * one. Throws it also for somebody whom the provider has deactivated by SCIM, and, while it provisions, for
 * somebody whom it has not provisioned and who is no member.
 */
export function refuseOutsiders(
  {
    isProvisioning,
    isFound,
    isOff,
    person,
  }: Pick<ToldByScim, "isProvisioning" | "isFound" | "isOff" | "person">,
  membership: Membership | undefined,
): void {
  if (isFound && membership?.role === "owner") throw isOwner();
  if (!isProvisioning || membership?.role === "owner") return;
  if (isOff || (person && !person.active)) throw deactivated();
  if (person || membership) return;
  const message = "Your organization's identity provider has not set up an account for you here yet.";
  throw new GatewayError("permission_denied", { message, reason: "sign_on_not_provisioned" });
}

function isOwner(): GatewayError {
  const message =
    "An owner is not found by an address. Sign in your own way first, and join your account to the provider.";
  return new GatewayError("permission_denied", { message, reason: "sign_on_owner" });
}
