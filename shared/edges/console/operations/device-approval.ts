/** A person looks at the request of a program, and decides it (people/identity/programs.md). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError, invalidRequest } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField } from "../../../base/json/fields.ts";
import type { KeyRecord } from "../../../books/accounts/account.ts";
import { keysOf } from "../../../books/accounts/organization-keys.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { addressOf } from "../../../people/identity/address.ts";
import type { Caller } from "../../../people/identity/caller.ts";
import { requireSameOrigin } from "../../../people/identity/cookie.ts";
import {
  type DeviceApproval,
  type DeviceRequest,
  isWaiting,
  readUserCode,
  shownUserCode,
} from "../../../people/identity/device.ts";
import { isSignedIn, type ProgramKey, signInEnd } from "../../../people/identity/program.ts";
import { wayIn } from "../../../people/identity/session.ts";
import { readKeyRequest } from "../../api/key-request.ts";
import { checkProjectMember, rightsOfMember } from "../../api/key-rights.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { type FieldsOf, readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { DeviceDeps } from "./device-deps.ts";

/** `POST /api/v1/auth/device/look`: what asks. It decides nothing. Throws `not_found` for a code that is none any more. */
export async function lookAtDevice(call: ConsoleCall, deps: DeviceDeps) {
  callerOf(call);
  const fields = readFields<keyof ConsoleBody<"look_at_device">>(call.request, ["user_code"]);
  const asked = await findRequest(call, fields, deps);
  const { id, user_code, client, machine, label, ip, created_at, ends_at } = asked;
  return jsonReply({
    ...{ id, object: "device" as const, user_code: shownUserCode(user_code) },
    ...{ client, machine, label, ip },
    same_network: addressOf(ip).network === addressOf(call.request.ip).network,
    created_at: rfc3339(created_at),
    expires_at: rfc3339(ends_at),
  });
}

/**
 * `POST /api/v1/auth/device/decide`, for the request that was shown. Throws `not_found` as above, `invalid_state` where it
 * was decided meanwhile, and what a new key throws.
 */
export async function decideDevice(call: ConsoleCall, deps: DeviceDeps) {
  const caller = callerOf(call);
  // A page of another site has no token to send. This says so before anything is read.
  requireSameOrigin(call.request.headers);
  const fields = readFields<keyof ConsoleBody<"decide_device">>(call.request, [
    ...(["user_code", "id", "approve", "billing_mode", "project_id"] as const),
  ]);
  if (typeof fields.id !== "string") throw invalidField("id", "the id of the request that was shown");
  if (typeof fields.approve !== "boolean") throw invalidField("approve", "true or false");
  const approval = fields.approve ? await approvalOf(fields, caller, deps) : null;
  const asked = await findRequest(call, fields, deps);
  if (!(await deps.devices.decide(asked, approval, deps.now()))) {
    const message = "This request was decided or has ended meanwhile. Begin again in the terminal.";
    throw new GatewayError("invalid_state", { message, reason: "changed" });
  }
  const { organization, user } = caller;
  const decided = { organization: organization.id, user: user.id, request: asked.id };
  deps.log("info", approval ? "device_approved" : "device_denied", decided);
  return jsonReply({ id: asked.id, object: "device" as const, approved: approval !== null });
}

/** The request of a code that waits. A wrong code counts for the address, and so does a right one for another request. */
async function findRequest(
  { request: { ip } }: ConsoleCall,
  { user_code, id }: FieldsOf<"user_code" | "id">,
  { devices, guesses, now }: DeviceDeps,
): Promise<DeviceRequest> {
  const code = typeof user_code === "string" ? readUserCode(user_code) : undefined;
  if (code === undefined) throw invalidField("user_code", "eight letters, such as BCDF-GHJK");
  const guess = await guesses.admit(ip);
  const found = await devices.read(code);
  if (!found || !isWaiting(found, now()) || (id !== undefined && id !== found.id)) {
    const message = "No program waits with this code. A code is good for ten minutes, and once.";
    throw new GatewayError("not_found", { message });
  }
  await guesses.giveBack(guess);
  return found;
}

/** What the person allows. Throws `invalid_request`, also where they have all programs that they may have. */
async function approvalOf(
  { billing_mode, project_id }: FieldsOf<"billing_mode" | "project_id">,
  caller: Caller,
  deps: DeviceDeps,
): Promise<DeviceApproval> {
  const { user, session, organization } = caller;
  if (organization.status === "frozen") throw new GatewayError("account_frozen");
  const { mode, project } = readKeyRequest({ billing_mode, project_id }, deps.now());
  if (mode === "payg" ? !organization.wallet : !organization.subscription)
    throw invalidField("billing_mode", "a way to pay that the organization has");
  await checkProjectMember(project, rightsOfMember(caller), deps.accounts);
  const programs = await programsOf(organization.id, user.id, deps);
  if (programs.length >= consoleLimits.programsOfMemberMax) {
    const most = consoleLimits.programsOfMemberMax;
    throw invalidRequest(
      `You have ${most} programs that are signed in. Sign one out first.`,
      "programs_full",
    );
  }
  return {
    ...{ user: user.id, user_name: user.name, session: session.id },
    ...wayIn(session),
    ...{ organization: organization.id, mode, project },
  };
}

/** The programs that a member has signed in, the oldest first. */
async function programsOf(
  organization: string,
  user: string,
  { accounts, now }: Pick<DeviceDeps, "accounts" | "now">,
): Promise<ProgramKey[]> {
  const at = now();
  const isTheirs = (key: KeyRecord): key is ProgramKey => isSignedIn(key, at) && key.created_by === user;
  return [...(await keysOf(accounts, organization)).values()].filter(isTheirs);
}

/** `GET /api/v1/auth/programs`: the caller's own in this organization. Each ends as its key does. */
export async function listPrograms(call: ConsoleCall, deps: DeviceDeps) {
  const { user, organization } = callerOf(call);
  readQuery(call.request.query, {});
  const programs = await programsOf(organization.id, user.id, deps);
  const data = programs.map(({ id, program, created_at, mode, project }) => ({
    ...{ id, object: "program" as const },
    ...{ client: program.client, machine: program.machine, ip: program.ip },
    ...{ billing_mode: mode, project_id: project },
    created_at: rfc3339(created_at),
    seen_at: rfc3339(program.refreshed_at),
    expires_at: rfc3339(signInEnd({ created_at, program })),
  }));
  return jsonReply({
    object: "list" as const,
    data,
    has_more: false as const,
    last_id: data.at(-1)?.id ?? null,
  });
}
