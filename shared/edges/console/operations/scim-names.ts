/** Whose the names of a person are, and who is somebody that came before (people/scim/README.md "The same person"). */
import type { Membership } from "../../../people/identity/user.ts";
import type { DirectoryPerson, GonePerson } from "../../../people/scim/directory.ts";
import { userNameOf } from "../../../people/scim/names.ts";
import type { PersonFields } from "../../../people/scim/person.ts";
import { ScimError } from "../../../people/scim/scim-error.ts";
import { domainOf, isProved } from "../../../people/sign-on/domain.ts";
import type { OwnAddress, TakenName } from "../../../people/sign-on/entering.ts";
import { type AddressedMember, memberByAddress } from "./member-by-address.ts";
import type { ScimCaller } from "./scim-caller.ts";
import type { ScimDeps } from "./scim-deps.ts";

/** The name that a person takes and the one that they give up. Throws `uniqueness` where another person has it. */
export async function namesMoved(
  before: DirectoryPerson,
  after: DirectoryPerson,
  deps: ScimDeps,
): Promise<{ taken: TakenName[]; freed: string[] }> {
  const [had, has] = [userNameOf(before), userNameOf(after)];
  if (had === has) return { taken: [], freed: [] };
  const from = await deps.directories.holder(after.organization, has);
  if (from !== after.id) await refuseTaken(after.organization, { name: has, from }, deps);
  return { taken: [{ name: has, from }], freed: [had] };
}

/** Throws `uniqueness` where the holder of a name is a person with this user name. An address of theirs is free. */
async function refuseTaken(
  organization: string,
  { name, from }: TakenName,
  { directories }: ScimDeps,
): Promise<void> {
  const person = from === undefined ? undefined : await directories.person(organization, from);
  if (!person || userNameOf(person) !== name) return;
  throw new ScimError("invalid_state", "uniqueness", `Another user has the name ${name}.`);
}

/** The user name of somebody new, as it is held. */
interface HeldName {
  taken: TakenName;
  /** What is left of its holder, where that one was deleted and comes back. */
  back: GonePerson | undefined;
  /** Of the one whose person it is. */
  membership: Membership | undefined;
  /** The user name, where it is that member's own address. */
  own: OwnAddress | undefined;
}

/**
 * The user name of a new person, and whose person it is. That is a member whom SCIM has not named yet. They have signed in by
 * this name, or have it as their own address. A main address joins nobody, because several people may have it. Throws
 * `uniqueness`.
 */
export async function nameOfNew(
  { organization }: ScimCaller,
  fields: PersonFields,
  deps: ScimDeps,
): Promise<HeldName> {
  const { directories, members } = deps;
  const name = userNameOf(fields);
  const from = await directories.holder(organization, name);
  await refuseTaken(organization, { name, from }, deps);
  const isFree = from !== undefined && !(await directories.person(organization, from));
  const gone = isFree ? await directories.gone(organization, from) : undefined;
  const back = gone && isSamePerson(gone, fields) ? gone : undefined;
  // Somebody who was deleted may be another one of the same name, unless the provider says that they are the same.
  const held = isFree && (!gone || back) ? await members.membership(organization, from) : undefined;
  const addressed = held || back ? undefined : await addressedMember(organization, name, deps);
  const membership = held ?? addressed?.membership;
  return { taken: { name, from }, back, membership, own: addressed?.own };
}

/** The member who has a name as their own address, in a domain that is proved. SCIM has never named them. */
async function addressedMember(
  organization: string,
  name: string,
  deps: ScimDeps,
): Promise<AddressedMember | undefined> {
  const domain = name.includes("@") ? domainOf(name) : undefined;
  const claim = domain === undefined ? undefined : await deps.domains.read(organization, domain);
  if (!claim || !isProved(claim, deps.now())) return undefined;
  const found = await memberByAddress(organization, name, deps);
  if (!found) return undefined;
  const { user } = found.membership;
  const isNamed = await deps.directories.person(organization, user);
  return isNamed || (await deps.directories.gone(organization, user)) ? undefined : found;
}

/** Whether the provider says that two are one: it has given both the same external id. */
function isSamePerson({ external_id }: GonePerson, fields: Pick<PersonFields, "external_id">): boolean {
  return external_id !== null && external_id === fields.external_id;
}
