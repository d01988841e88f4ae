/** An owner or the operator releases somebody's sign-in, so that the next one links anew (people/scim/README.md "Another subject"). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { isId } from "../../../base/platform/id.ts";
import { auditEntry } from "../../../people/identity/audit.ts";
import type { Members } from "../../../people/identity/members.ts";
import type { Directories } from "../../../people/scim/directory.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { EndingBy } from "./organization-member-keys.ts";
import { changedMeanwhile } from "./organization-members.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";
import { endByProvider } from "./sign-on-end.ts";

/** What a release needs. */
interface ReleaseDeps extends Pick<SignOnDeps, "accounts" | "auditedKeys" | "sessions" | "log" | "now"> {
  directories: Pick<Directories, "person" | "release">;
  members: Pick<Members, "membership">;
}

/** `DELETE /api/v1/members/{id}/sign-on`. */
export async function answerRelease(call: ConsoleCall, deps: SignOnDeps) {
  readFields(call.request, []);
  const { id = "" } = call.parameters;
  await releaseSignOn({ actor: callerOf(call), request: call.request }, id, deps);
  return jsonReply({ id, object: "member_sign_on", deleted: true });
}

/**
 * Releases the sign-in of a person whom SCIM has provisioned, and ends what they have by the provider. A repetition ends
 * what a crash has left. Throws `not_found` for anybody else, `permission_denied` for an owner, and `invalid_state` where
 * others change the person all the time.
 */
export async function releaseSignOn(by: EndingBy, user: string, deps: ReleaseDeps): Promise<void> {
  const { actor, request } = by;
  const { id: organization } = actor.organization;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const [person, membership] = isId(user, "user")
      ? await Promise.all([
          deps.directories.person(organization, user),
          deps.members.membership(organization, user),
        ])
      : [];
    if (!person) throw notProvisioned();
    // Else whoever runs the provider could sign in as an owner, and take the organization.
    if (membership?.role === "owner") throw isOwner();
    const change = {
      kind: "sign_on_released",
      subject: user,
      before: { issuer: person.linked_issuer },
    } as const;
    const entry = auditEntry(actor, change, request?.ip ?? null, deps.now());
    if (!(await deps.directories.release(person, entry))) continue;
    return await endByProvider(by, user, deps);
  }
  throw changedMeanwhile();
}

function notProvisioned(): GatewayError {
  const message = "The organization's provider has provisioned no such person.";
  return new GatewayError("not_found", { message, reason: "sign_on_not_provisioned" });
}

function isOwner(): GatewayError {
  const message = "An owner joins their account to the provider anew by themselves.";
  return new GatewayError("permission_denied", { message });
}
