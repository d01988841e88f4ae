/** The refusal of somebody whom SCIM has deactivated, by a sign-in and by an invitation (people/scim/README.md "The same person"). */
import { GatewayError } from "../../../base/errors.ts";
import type { User } from "../../../people/identity/user.ts";
import type { Directories } from "../../../people/scim/directory.ts";

/** The refusal of somebody whom the provider has deactivated by SCIM. */
export function deactivated(): GatewayError {
  const message = "Your organization has deactivated your account.";
  return new GatewayError("permission_denied", { message, reason: "sign_on_deactivated" });
}

/** Whether a provider provisions people. Throws `permission_denied` for somebody whom it has deactivated. */
export async function requireNotOff(
  organization: string,
  { id }: Pick<User, "id">,
  { directories }: { directories: Pick<Directories, "read" | "person"> },
): Promise<boolean> {
  const { token } = await directories.read(organization);
  if (!token) return false;
  const person = await directories.person(organization, id);
  if (person && !person.active) throw deactivated();
  return true;
}
