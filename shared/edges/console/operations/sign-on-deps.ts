import type { AuditedKeys } from "../../../people/identity/audited-keys.ts";
import type { Members } from "../../../people/identity/members.ts";
import type { Velocity } from "../../../people/identity/velocity.ts";
import type { Directories } from "../../../people/scim/directory.ts";
import type { SignOnConnections } from "../../../people/sign-on/connection.ts";
import type { Domains, ReadTexts } from "../../../people/sign-on/domain.ts";
import type { SignOns } from "../../../people/sign-on/entering.ts";
import type { ProviderFetchDeps } from "../../../people/sign-on/provider-fetch.ts";
import type { SignInDeps } from "./sign-in-deps.ts";

/** What signing in by an own provider needs, and what owners set for it. */
export interface SignOnDeps
  extends Pick<SignInDeps, "keys" | "users" | "sessions" | "accounts" | "log" | "now"> {
  connections: SignOnConnections;
  domains: Domains;
  signOns: SignOns;
  directories: Directories;
  members: Members;
  auditedKeys: AuditedKeys;
  velocity: Pick<Velocity, "take" | "giveBack">;
  readTexts: ReadTexts;
  fetching: ProviderFetchDeps;
}
