/** Who asks a route of SCIM: the token of one organization, and nothing else (people/scim/README.md "The token"). */
import { GatewayError } from "../../../base/errors.ts";
import { readJsonObject } from "../../../base/json/body.ts";
import type { Fields } from "../../../base/json/fields.ts";
import { type AuditEntry, type AuditedChange, auditEntry } from "../../../people/identity/audit.ts";
import { scimLimits } from "../../../people/scim/bounds.ts";
import type { Directory } from "../../../people/scim/directory.ts";
import { ScimError } from "../../../people/scim/scim-error.ts";
import { isTokenOf, readDirectoryToken } from "../../../people/scim/token.ts";
import type { ConsoleRequest } from "../call.ts";
import { originOf } from "../origin.ts";
import { scimPath } from "../scim.ts";
import type { EndingBy } from "./organization-member-keys.ts";
import type { ScimDeps } from "./scim-deps.ts";

export interface ScimCaller extends EndingBy {
  request: ConsoleRequest;
  organization: string;
  /** The id of the token. */
  token: string;
  /** How many people there were when it called. */
  people: number;
  /** The address of the routes. */
  base: string;
}

/** The name that the audit log gives to a provider. */
const actorName = "SCIM";

/** Throws `not_authenticated` for all but a token in force, and `rate_limited`. It notes the call once a minute. */
export async function identifyProvider(request: ConsoleRequest, deps: ScimDeps): Promise<ScimCaller> {
  const [, text = ""] = /^bearer +(\S+)\s*$/i.exec(request.headers.authorization ?? "") ?? [];
  const given = readDirectoryToken(text);
  const directory = given && (await deps.directories.read(given.organization));
  const token = directory?.token;
  if (!given || !token || !isTokenOf(token, given.secret)) throw noToken();
  await Promise.all([count(token.id, deps), note(directory, token.id, deps)]);
  const { organization, people } = directory;
  const actor = { user: { id: token.id, name: actorName }, organization: { id: organization } };
  const base = `${originOf(request.headers)}${scimPath}`;
  return { request, actor, organization, token: token.id, people, base };
}

/** The refusal of everything that is no token in force. */
export function noToken(): GatewayError {
  const message = "The token is not good, or not any more. An owner makes one in the console.";
  return new GatewayError("not_authenticated", { message });
}

async function count(token: string, { pace }: Pick<ScimDeps, "pace">): Promise<void> {
  const most = scimLimits.callsAMinuteMax;
  await pace(token, most).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.key !== "rate_limited") throw error;
    const message = `A provider makes at most ${most} calls a minute.`;
    throw new GatewayError("rate_limited", { ...error.detail, message });
  });
}

async function note(
  { organization, called_at }: Directory,
  token: string,
  { directories, now }: Pick<ScimDeps, "directories" | "now">,
): Promise<void> {
  const at = now();
  if (called_at !== null && at < called_at + scimLimits.notedMs) return;
  await directories.called(organization, token, at);
}

/** The body of a request. Throws `invalidSyntax`. */
export function readScimBody({ body }: Pick<ConsoleRequest, "body">): Fields {
  try {
    return readJsonObject(body).value;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new ScimError("invalid_request", "invalidSyntax", error.message);
  }
}

/** The line of the audit log about a change that a provider makes at `at`, Unix milliseconds. */
export function lineBy({ actor, request }: EndingBy, audited: AuditedChange, at: number): AuditEntry {
  return auditEntry(actor, audited, request?.ip ?? null, at);
}

/** Says that others have changed the same too often. */
export function contended(): GatewayError {
  const message = "Others changed this at the same time. Send the request again.";
  return new GatewayError("rate_limited", { message, wait_ms: 1_000 });
}
