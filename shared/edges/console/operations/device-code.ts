/** A program asks to be signed in (people/identity/programs.md). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { newId } from "../../../base/platform/id.ts";
import {
  cleanLabel,
  deviceCode,
  deviceCounts,
  deviceSecretHash,
  newDeviceCode,
  shownUserCode,
} from "../../../people/identity/device.ts";
import { takeAll } from "../../../people/identity/velocity.ts";
import { waitInWords } from "../../../people/identity/wait-in-words.ts";
import { isName } from "../../api/report-parameters.ts";
import type { ConsoleCall } from "../call.ts";
import { originOf } from "../origin.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { inOAuth, OAuthError, readForm } from "./device-form.ts";

/** The page where people look at a request. A browser sends nobody what stands behind its `#`. */
const pagePath = "/device";
/** Of 25 billion user codes hardly one is in use. */
const attemptsMax = 5;

/** `POST /api/v1/auth/device/code`: a user code to show, and a device code to poll with. */
export async function startDevice({ request }: ConsoleCall, deps: DeviceDeps) {
  return await inOAuth(async () => {
    const form = readForm(request, ["client_id"]);
    const client = readProgramName(form.client_id, "client_id");
    const machine = readProgramName(form.device_name ?? "", "device_name");
    await admit(request.ip, deps);
    const at = deps.now();
    const ends_at = at + consoleLimits.deviceCodeSeconds * 1000;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const code = newDeviceCode();
      const { user_code } = code;
      const stored = await deps.devices.create({
        ...{ id: newId("device", at), user_code, secret_hash: deviceSecretHash(code.secret) },
        ...{ client, machine, label: cleanLabel(request.headers["user-agent"] ?? ""), ip: request.ip },
        ...{ created_at: at, ends_at, polled_at: 0, state: "waiting", approval: null },
      });
      if (!stored) continue;
      const page = `${originOf(request.headers)}${pagePath}`;
      return jsonReply({
        device_code: deviceCode(code),
        user_code: shownUserCode(user_code),
        verification_uri: page,
        verification_uri_complete: `${page}#${shownUserCode(user_code)}`,
        expires_in: consoleLimits.deviceCodeSeconds,
        interval: consoleLimits.devicePollSeconds,
      });
    }
    throw new Error("no user code is free");
  });
}

/** What a program calls itself or its machine. Throws `invalid_request` for what a page could not show as it is. */
function readProgramName(text: string, name: string): string {
  const most = consoleLimits.programNameCharsMax;
  if (text.length <= most && text.trim() === text && isName(text) && cleanLabel(text) === text) return text;
  const rule = `at most ${most} characters without control characters and #`;
  throw new OAuthError("invalid_request", `\`${name}\` must have ${rule}.`);
}

async function admit(ip: string, { velocity, log, now }: DeviceDeps): Promise<void> {
  const at = now();
  const counts = deviceCounts(ip, at);
  const { full } = await takeAll(counts, velocity);
  if (!full) return;
  log("info", "device_refused", { reason: full === counts[0] ? "ip" : "network" });
  const wait_ms = full.ends_at - at;
  const message = `Too many programs of your network asked to be signed in. Try again in ${waitInWords(wait_ms)}.`;
  throw new OAuthError("slow_down", message, wait_ms);
}

/** `GET /.well-known/oauth-authorization-server` (RFC 8414), with the address of the gateway that the keys are for. */
export async function showAuthorizationServer({ request }: ConsoleCall, { gatewayUrl }: DeviceDeps) {
  const issuer = originOf(request.headers);
  const device = `${issuer}/api/v1/auth/device`;
  return jsonReply({
    issuer,
    device_authorization_endpoint: `${device}/code`,
    token_endpoint: `${device}/token`,
    revocation_endpoint: `${device}/revoke`,
    grant_types_supported: [deviceGrant, "refresh_token"],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    gateway_url: gatewayUrl,
  });
}

/** The grant by which a program polls (RFC 8628 §3.4). */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
