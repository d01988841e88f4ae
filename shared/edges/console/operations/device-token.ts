/** A program polls for its key, gets it another secret, and signs itself out (people/identity/programs.md). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import { programName } from "../../../books/accounts/key-state.ts";
import type { SignedInProgram } from "../../../books/accounts/program.ts";
import { type DeviceApproval, type DeviceRequest, readDeviceCode } from "../../../people/identity/device.ts";
import { type ProgramKey, programSecret, programToken, secretEnd } from "../../../people/identity/program.ts";
import { mayDo } from "../../../people/identity/roles.ts";
import { isOpen, mayOpen, wayIn } from "../../../people/identity/session.ts";
import { entriesBy, withLines } from "../../api/audited-keys.ts";
import { issueKey } from "../../api/keys.ts";
import type { ConsoleCall, ConsoleRequest } from "../call.ts";
import { deviceGrant } from "./device-code.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { inOAuth, noGrant, OAuthError, readForm } from "./device-form.ts";
import { type ProgramTokens, refreshProgram, revokeProgram } from "./device-refresh.ts";

/** `POST /api/v1/auth/device/token`, by a device code or a refresh token. */
export async function getDeviceToken({ request }: ConsoleCall, deps: DeviceDeps) {
  return await inOAuth(async () => {
    const form = readForm(request, ["grant_type", "client_id"]);
    if (form.grant_type === deviceGrant) {
      const { client_id, device_code } = readForm(request, ["client_id", "device_code"]);
      return tokensReply(await redeem(request, { client_id, device_code }, deps), deps);
    }
    if (form.grant_type === "refresh_token") {
      const { client_id, refresh_token } = readForm(request, ["client_id", "refresh_token"]);
      return tokensReply(await refreshProgram(request, { client_id, refresh_token }, deps), deps);
    }
    throw new OAuthError("unsupported_grant_type", `\`grant_type\` must be ${deviceGrant} or refresh_token.`);
  });
}

/** `POST /api/v1/auth/device/revoke` (RFC 7009): what is no token of ours is revoked already. */
export async function revokeDeviceToken({ request }: ConsoleCall, deps: DeviceDeps): Promise<HttpReply> {
  return await inOAuth(async () => {
    const { token } = readForm(request, ["token"]);
    await revokeProgram(request, token, deps);
    return { status: 200, headers: {}, body: "" };
  });
}

function tokensReply({ key, secret, refresh_token }: ProgramTokens, { now }: DeviceDeps) {
  const expires_in = Math.max(0, Math.floor(((key.expires_at ?? 0) - now()) / 1000));
  return jsonReply({ access_token: secret, token_type: "Bearer" as const, expires_in, refresh_token });
}

/** The key of a request that is approved, once. */
async function redeem(
  http: ConsoleRequest,
  { client_id, device_code }: { client_id: string; device_code: string },
  deps: DeviceDeps,
): Promise<ProgramTokens> {
  const code = readDeviceCode(device_code);
  const polled = code ? await deps.devices.poll(code, deps.now()) : "none";
  if (polled === "none") throw noGrant();
  if (polled === "soon")
    throw new OAuthError("slow_down", `Ask once in ${consoleLimits.devicePollSeconds} seconds.`);
  if (polled.client !== client_id) throw noGrant();
  const approval = approvalIn(polled, deps.now());
  const organization = await deps.accounts.organization(approval.organization);
  const found = await deps.users.read(approval.user);
  const role = found?.memberships.find((each) => each.organization === approval.organization)?.role;
  if (!organization || organization.status === "frozen" || !role || !mayDo(role, "manage_own_keys"))
    throw denied();
  if (!mayOpen(approval, organization) || !(await isStillIn(approval, deps))) throw denied();
  return await makeKey(http, { request: polled, approval, organization }, deps);
}

/** Whether the provider's session that approved a request is there still. One of a code may sign out meanwhile. */
async function isStillIn({ user, session, sign_on }: DeviceApproval, deps: DeviceDeps): Promise<boolean> {
  if (sign_on === undefined) return true;
  const found = await deps.sessions.read(user, session);
  return found !== undefined && isOpen(found, deps.now());
}

/** What a request was approved for. Throws for every other state. */
function approvalIn({ state, approval, ends_at }: DeviceRequest, now: number): DeviceApproval {
  if (state === "used") throw noGrant();
  if (state === "denied") throw denied();
  if (now >= ends_at) throw new OAuthError("expired_token", "The code has ended. Begin again.");
  if (!approval) throw new OAuthError("authorization_pending", "Nobody has decided yet.");
  return approval;
}

interface Approved {
  request: DeviceRequest;
  approval: DeviceApproval;
  organization: Organization;
}

/** Makes the key in the transaction that uses the request up and asks for the person's role. */
async function makeKey(
  http: ConsoleRequest,
  { request, approval, organization }: Approved,
  deps: DeviceDeps,
): Promise<ProgramTokens> {
  const { user, user_name, session, mode, project } = approval;
  const { current } = await deps.keys();
  const at = deps.now();
  const program: SignedInProgram = {
    ...{ request: request.id, client: request.client, machine: request.machine, ip: request.ip },
    ...{ generation: 1, refreshed_at: at, version: current.version },
    ...wayIn(approval),
  };
  const actor = { user: { id: user, name: user_name }, organization, session: { id: session } };
  const { auditedKeys } = deps;
  const usingUp = {
    ...auditedKeys,
    create: (...[key, more, entry]: Parameters<typeof auditedKeys.create>) =>
      auditedKeys.create(key, more, entry, request),
  };
  const audited = withLines({ auditedKeys: usingUp, entryOf: entriesBy(actor, http, deps.now) }, deps);
  const made = programSecret(mode, program, current);
  const most = { organization: consoleLimits.keysOfOrganizationMax, member: consoleLimits.keysOfMemberMax };
  const wanted = {
    ...{ name: programName(program), mode, project, permissions: [], limits: null },
    ...{ expires_at: secretEnd(at), created_by: user, program },
  };
  const { key, secret } = await issueKey(organization, wanted, { ...audited, most, made });
  deps.log("info", "key_created", { organization: organization.id, key: key.id });
  const token = { organization: organization.id, key: key.id, generation: program.generation };
  return { key: key as ProgramKey, secret, refresh_token: programToken(token, current) };
}

function denied(): OAuthError {
  return new OAuthError("access_denied", "The sign-in was refused.");
}
