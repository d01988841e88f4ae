/** The passkeys of somebody who is signed in: what they have, a new one, and one less. */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError, invalidRequest } from "../../../base/errors.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField, isObject } from "../../../base/json/fields.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { requireSameOrigin } from "../../../people/identity/cookie.ts";
import { type Passkey, passkeyLimits } from "../../../people/passkeys/passkey.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { requireOwn } from "./own-session.ts";
import { beginAttempt, endAttempt, proves } from "./passkeys-attempt.ts";
import type { PasskeyDeps } from "./passkeys-deps.ts";
import { readUserName } from "./sign-in-name.ts";

const load = () => import("../../../people/passkeys/ceremony.ts");

/** `GET /api/v1/account/passkeys`. */
export async function listPasskeys(call: ConsoleCall, deps: PasskeyDeps) {
  readQuery(call.request.query, {});
  const { user, session } = callerOf(call);
  // Whoever runs a provider is told nothing of its people's own devices.
  const passkeys = session.sign_on === undefined ? await deps.passkeys.list(user.id) : [];
  const data = passkeys.map(passkeyObject);
  return jsonReply({ object: "list", data, has_more: false, last_id: data.at(-1)?.id ?? null });
}

/** `POST /api/v1/account/passkeys/options`: what the browser is to make, for five minutes and once. */
export async function beginPasskey(call: ConsoleCall, deps: PasskeyDeps) {
  const { user, session } = callerOf(call);
  requireSameOrigin(call.request.headers);
  readFields(call.request, []);
  requireOwn(call, deps);
  const there = await listWithRoom(user.id, deps);
  const { optionsToAdd } = await load();
  const adding = { user: user.id, session: session.id };
  return await beginAttempt(call.request, adding, (origin) => optionsToAdd(user, origin, there), deps);
}

/** `POST /api/v1/account/passkeys {name, credential}`, with the attempt's cookie. */
export async function addPasskey(call: ConsoleCall, deps: PasskeyDeps) {
  const { user, session } = callerOf(call);
  requireSameOrigin(call.request.headers);
  const fields = readFields<keyof ConsoleBody<"add_passkey">>(call.request, ["name", "credential"]);
  const name = readUserName(fields);
  if (name === undefined) throw invalidField("name", "a name, such as the device's");
  const { credential } = fields;
  if (!isObject(credential)) throw invalidField("credential", "what the browser gave");
  requireOwn(call, deps);
  const attempt = await endAttempt(call.request, deps);
  if (attempt.adding?.user !== user.id || attempt.adding.session !== session.id)
    throw new GatewayError("verification_expired", { reason: "passkey_over" });
  await listWithRoom(user.id, deps);
  const { made } = await load();
  const passkey: Passkey = {
    ...(await proves(() => made(credential, attempt), deps)),
    ...{ user: user.id, origin: attempt.origin, name, created_at: deps.now(), used_at: null },
  };
  if (!(await deps.passkeys.add(passkey)))
    throw new GatewayError("invalid_state", { message: "You have this passkey already.", reason: "changed" });
  deps.log("info", "passkey_added", { user: user.id, passkey: passkey.id });
  return jsonReply(passkeyObject(passkey));
}

/** A user's passkeys, where there may be one more. Throws `invalid_request`. Attempts that end at one moment may pass. */
async function listWithRoom(user: string, { passkeys }: Pick<PasskeyDeps, "passkeys">): Promise<Passkey[]> {
  const there = await passkeys.list(user);
  if (there.length < passkeyLimits.ofUserMax) return there;
  throw invalidRequest(`You have ${passkeyLimits.ofUserMax} passkeys. Remove one first.`, "passkeys_full");
}

/** `DELETE /api/v1/account/passkeys/{id}`. The sessions that it began end too, but for the one that asks. */
export async function removePasskey(call: ConsoleCall, deps: PasskeyDeps): Promise<HttpReply> {
  const { user, session: own } = callerOf(call);
  const { id = "" } = call.parameters;
  requireOwn(call, deps);
  if (!/^[\w-]{43}$/.test(id) || !(await deps.passkeys.remove(user.id, id, deps.now())))
    throw new GatewayError("not_found", { message: "You have no such passkey." });
  const sessions = await deps.sessions.list(user.id, consoleLimits.sessionListMax);
  const begun = sessions.filter(({ passkey, ended_at }) => passkey === id && ended_at === null);
  const others = begun.filter((session) => session.id !== own.id);
  await Promise.all(others.map((session) => deps.sessions.end(user.id, session.id, deps.now())));
  deps.log("info", "passkey_removed", { user: user.id, passkey: id });
  return { status: 204, headers: {}, body: "" };
}

function passkeyObject({ id, name, is_synced, created_at, used_at }: Passkey): ConsoleSchema<"Passkey"> {
  return {
    ...{ id, object: "passkey", name, synced: is_synced, created_at: rfc3339(created_at) },
    used_at: used_at === null ? null : rfc3339(used_at),
  };
}
