/**
 * The member whose own address it is, as we have verified it by a code (people/sign-on/README.md "Who somebody is"). The
 * organization has proved the address's domain, so whoever holds it reads its mail, and could sign in by a code.
 */
import { contactName } from "../../../people/identity/contact.ts";
import { eachVersion, type ReadKeys } from "../../../people/identity/identity-keys.ts";
import type { Members } from "../../../people/identity/members.ts";
import type { Membership } from "../../../people/identity/user.ts";
import type { Users } from "../../../people/identity/users-port.ts";
import type { OwnAddress } from "../../../people/sign-on/entering.ts";

interface AddressDeps {
  keys: ReadKeys;
  users: Pick<Users, "claims">;
  members: Pick<Members, "membership">;
}

/** A member, and the claim of the address that names them. */
export interface AddressedMember {
  membership: Membership;
  own: OwnAddress;
}

/**
 * The member of an organization who has an address, in the form that `readEmail` gives, as their own contact. Undefined for
 * an owner: whoever runs a provider would become one. The caller has seen that the domain is proved.
 */
export async function memberByAddress(
  organization: string,
  text: string,
  { keys, users, members }: AddressDeps,
): Promise<AddressedMember | undefined> {
  const names = eachVersion(await keys()).map((each) => contactName({ kind: "email", text }, each));
  const claims = await users.claims(names);
  const at = claims.findIndex((user) => user !== undefined);
  const [contact, user] = [names[at], claims[at]];
  if (contact === undefined || user === undefined) return undefined;
  const membership = await members.membership(organization, user);
  if (!membership || membership.role === "owner") return undefined;
  return { membership, own: { contact, user } };
}
