/** What SCIM says of somebody who signs on (people/scim/README.md "The same person"). */
import { GatewayError } from "../../../base/errors.ts";
import type { Membership } from "../../../people/identity/user.ts";
import { type DirectoryPerson, groupsOf } from "../../../people/scim/directory.ts";
import { comparedName } from "../../../people/scim/names.ts";
import type { SignOnConnection } from "../../../people/sign-on/connection.ts";
import type { TakenName } from "../../../people/sign-on/entering.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";

export interface ToldByScim {
  /** Whose sign-in it is; undefined for somebody new. */
  user: string | undefined;
  /** Whether the provider provisions people now. Then nobody else becomes a member by a sign-in. */
  isProvisioning: boolean;
  person: DirectoryPerson | undefined;
  /** They came in before SCIM named them, and it has deactivated the person whom it made of them since. */
  isOff: boolean;
  /** Names of their groups, where SCIM decides by them. */
  groups: string[] | undefined;
  /** The address by which SCIM finds them later. */
  named: TakenName | undefined;
}

interface Comer {
  /** Who they are by the place at the provider, or by the account that is joined to it. */
  user: string | undefined;
  /** A verified address in a proved domain. */
  address: string | undefined;
  /** The claims that are texts. */
  texts: ReadonlyMap<string, string>;
}

/** Reads what SCIM says of somebody. Where it has said nothing yet, two items are read. */
export async function toldByScim(
  { organization, issuer }: Pick<SignOnConnection, "organization" | "issuer">,
  { user: known, address, texts }: Comer,
  { directories }: Pick<SignOnDeps, "directories">,
): Promise<ToldByScim> {
  const name = address === undefined ? undefined : comparedName(address);
  const [directory, holder] = await Promise.all([
    directories.read(organization),
    name === undefined ? undefined : directories.holder(organization, name),
  ]);
  const isProvisioning = directory.token !== null;
  const personOf = async (user: string | undefined) =>
    user === undefined || directory.people === 0 ? undefined : await directories.person(organization, user);
  const [own, namesake] = await Promise.all([personOf(known), personOf(holder)]);
  const { external_id_claim: claim } = directory;
  const isUnnamed = known !== undefined && own === undefined && isProvisioning;
  const wanted =
    claim === null || (known !== undefined && !isUnnamed)
      ? namesake
      : await personOfExternalId(organization, texts.get(claim), directories);
  // Only whom SCIM itself has made is found, and once for each issuer.
  const isFound = known === undefined && wanted?.made === true && wanted.linked_issuer !== issuer;
  const user = isFound ? wanted.id : known;
  const person = isFound ? wanted : own;
  const isNamed = name !== undefined && !namesake && (holder === undefined || holder !== user);
  const { list } = person && isProvisioning ? await directories.groups(organization) : { list: [] };
  return {
    ...{ user, isProvisioning, person },
    isOff: isUnnamed && wanted?.active === false,
    groups: person && list.length > 0 ? groupsOf(person, { list }).map((group) => group.name) : undefined,
    named: isNamed ? { name, from: holder } : undefined,
  };
}

/** The one person with an external id, of all whom SCIM has provisioned. It is asked once, at the first sign-in. */
async function personOfExternalId(
  organization: string,
  external_id: string | undefined,
  directories: SignOnDeps["directories"],
): Promise<DirectoryPerson | undefined> {
  if (external_id === undefined) return undefined;
  const found: DirectoryPerson[] = [];
  for await (const person of directories.people(organization))
    if (person.external_id === external_id) found.push(person);
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Throws `permission_denied` for somebody whom the provider has deactivated by SCIM, and, while it provisions, for
 * somebody whom it has not provisioned and who is no member.
 */
export function refuseOutsiders(
  { isProvisioning, isOff, person }: Pick<ToldByScim, "isProvisioning" | "isOff" | "person">,
  membership: Membership | undefined,
): void {
  if (!isProvisioning || membership?.role === "owner") return;
  if (isOff || (person && !person.active)) {
    const message = "Your organization has deactivated your account.";
    throw new GatewayError("permission_denied", { message, reason: "sign_on_deactivated" });
  }
  if (person || membership) return;
  const message = "Your organization's identity provider has not set up an account for you here yet.";
  throw new GatewayError("permission_denied", { message, reason: "sign_on_not_provisioned" });
}
