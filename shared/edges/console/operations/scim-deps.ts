import type { Members } from "../../../people/identity/members.ts";
import type { Directories } from "../../../people/scim/directory.ts";
import type { SignOnConnections } from "../../../people/sign-on/connection.ts";
import type { Domains } from "../../../people/sign-on/domain.ts";
import type { MemberKeyDeps } from "./organization-keys.ts";
import type { SignInDeps } from "./sign-in-deps.ts";

/** What the routes of SCIM need. */
export interface ScimDeps
  extends Pick<SignInDeps, "sessions" | "users" | "keys" | "pace" | "now" | "log">,
    Pick<MemberKeyDeps, "accounts" | "auditedKeys"> {
  directories: Directories;
  connections: Pick<SignOnConnections, "read">;
  domains: Pick<Domains, "read">;
  members: Pick<Members, "membership">;
}
