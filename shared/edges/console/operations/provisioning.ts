/** What owners set for SCIM: the token of their provider, which is shown once (people/scim/README.md "The token"). */
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField } from "../../../base/json/fields.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import type { Directory } from "../../../people/scim/directory.ts";
import { newDirectoryToken } from "../../../people/scim/token.ts";
import { signOnLimits } from "../../../people/sign-on/bounds.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { originOf } from "../origin.ts";
import { scimPath } from "../scim.ts";
import { changedMeanwhile, entryOf } from "./organization-members.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";
import { noConnection } from "./sign-on-entering.ts";

/** `GET /api/v1/provisioning`. */
export async function showProvisioning(call: ConsoleCall, deps: SignOnDeps) {
  readQuery(call.request.query, {});
  const { id } = callerOf(call).organization;
  const [directory, { list }] = await Promise.all([deps.directories.read(id), deps.directories.groups(id)]);
  return jsonReply(provisioningObject(call, directory, list.length));
}

/** `PATCH /api/v1/provisioning {external_id_claim}`: by what a first sign-in finds its person. Null: by the address. */
export async function changeProvisioning(call: ConsoleCall, deps: SignOnDeps) {
  const fields = readFields<keyof ConsoleBody<"change_provisioning">>(call.request, ["external_id_claim"]);
  const claim = readClaim(fields.external_id_claim);
  const { id } = callerOf(call).organization;
  const [directory, connection] = await Promise.all([deps.directories.read(id), deps.connections.read(id)]);
  if (!connection) throw noConnection();
  const before = { external_id_claim: directory.external_id_claim };
  const facts = { before, after: { external_id_claim: claim } };
  const entry = entryOf(call, { kind: "provisioning_changed", subject: id, ...facts }, deps);
  if (claim !== directory.external_id_claim && !(await deps.directories.setClaim(directory, claim, entry)))
    throw changedMeanwhile();
  const { list } = await deps.directories.groups(id);
  return jsonReply(provisioningObject(call, { ...directory, external_id_claim: claim }, list.length));
}

function readClaim(given: unknown): string | null {
  if (given === null) return null;
  const most = signOnLimits.claimCharsMax;
  if (typeof given === "string" && given !== "" && given.length <= most && /^[\x21-\x7e]+$/.test(given))
    return given;
  throw invalidField("external_id_claim", `the name of a claim of at most ${most} characters, or null`);
}

/** `POST /api/v1/provisioning/token`: a new token, which is shown once. The one before ends at once. */
export async function makeProvisioningToken(call: ConsoleCall, deps: SignOnDeps) {
  readFields(call.request, []);
  const { id } = callerOf(call).organization;
  const [directory, connection, { list }] = await Promise.all([
    deps.directories.read(id),
    deps.connections.read(id),
    deps.directories.groups(id),
  ]);
  if (!connection) throw noConnection();
  const { token, text } = newDirectoryToken(id, deps.now());
  const facts = {
    ...(directory.token && { before: { token: directory.token.id } }),
    after: { token: token.id },
  };
  const entry = entryOf(call, { kind: "provisioning_token_made", subject: id, ...facts }, deps);
  const change = { before: directory.token, token };
  if (!(await deps.directories.setToken(id, change, entry))) throw changedMeanwhile();
  return jsonReply({ ...provisioningObject(call, { ...directory, token }, list.length), token: text }, 201);
}

/** `DELETE /api/v1/provisioning/token`. People stay as they are, and come in by the connection's rules alone. */
export async function removeProvisioningToken(call: ConsoleCall, deps: SignOnDeps) {
  readFields(call.request, []);
  const { id } = callerOf(call).organization;
  const { token } = await deps.directories.read(id);
  if (!token) throw new GatewayError("not_found", { message: "There is no token." });
  const before = { token: token.id };
  const entry = entryOf(call, { kind: "provisioning_token_removed", subject: id, before }, deps);
  if (!(await deps.directories.setToken(id, { before: token, token: null }, entry))) throw changedMeanwhile();
  return jsonReply({ id: token.id, object: "provisioning_token", deleted: true });
}

function provisioningObject(
  { request }: ConsoleCall,
  { token, called_at, people, external_id_claim }: Directory,
  groups: number,
): ConsoleSchema<"Provisioning"> {
  return {
    object: "provisioning",
    base_url: `${originOf(request.headers)}${scimPath}`,
    enabled: token !== null,
    token_made_at: token && rfc3339(token.made_at),
    called_at: called_at === null ? null : rfc3339(called_at),
    ...{ people, groups, external_id_claim },
  };
}
