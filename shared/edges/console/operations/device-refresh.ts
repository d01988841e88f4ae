/** The refresh of a program's key, and its end (people/identity/programs.md "One program is one key"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import type { KeyRecord } from "../../../books/accounts/account.ts";
import { spanEnd, spanOf } from "../../../books/billing/period.ts";
import { eachVersion, type IdentityKeys, keysOfVersion } from "../../../people/identity/identity-keys.ts";
import {
  isSignedIn,
  type ProgramKey,
  type ProgramToken,
  programSecret,
  programToken,
  readProgramToken,
  secretEnd,
} from "../../../people/identity/program.ts";
import { mayDo } from "../../../people/identity/roles.ts";
import { mayOpen, refreshOf } from "../../../people/identity/session.ts";
import type { User } from "../../../people/identity/user.ts";
import { entriesBy, revocationBy } from "../../api/audited-keys.ts";
import { rotationOf } from "../../api/key-rotation.ts";
import type { ConsoleRequest } from "../call.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { noGrant, OAuthError } from "./device-form.ts";

/** A key with its secret, and the token that leads to the next one. */
export interface ProgramTokens {
  key: ProgramKey;
  secret: string;
  refresh_token: string;
}

/** Another secret for the key of a refresh token, or the same one where the token was used a moment ago. */
export async function refreshProgram(
  http: ConsoleRequest,
  { client_id, refresh_token }: { client_id: string; refresh_token: string },
  deps: DeviceDeps,
): Promise<ProgramTokens> {
  const token = await readToken(refresh_token, deps);
  const key = token && (await deps.accounts.key(token.organization, token.key));
  if (!token || !isSignedIn(key, deps.now()) || key.program.client !== client_id) throw noGrant();
  const [found, organization] = await Promise.all([
    deps.users.read(key.created_by),
    deps.accounts.organization(key.organization),
  ]);
  const role = found?.memberships.find((each) => each.organization === key.organization)?.role;
  const isTheirs = role !== undefined && mayDo(role, "manage_own_keys");
  const mayWork = organization && mayOpen(key.program, organization);
  if (!found || found.user.status === "frozen" || !isTheirs || !mayWork) {
    await endProgram(http, key, found?.user, deps);
    throw noGrant();
  }
  // Another process may have been quicker, and then this one repeats what that one gave.
  const changed = await changeSecret(key, token, deps);
  if (changed) return await tokensOf(changed, deps);
  const now = await deps.accounts.key(token.organization, token.key);
  if (!isSignedIn(now, deps.now())) throw noGrant();
  const verdict = verdictOf(now, token, deps);
  if (verdict === "repeat") return await tokensOf(now, deps);
  if (verdict === "reused") {
    deps.log("warn", "program_reused", { organization: key.organization, key: key.id });
    await endProgram(http, key, found.user, deps);
  }
  throw noGrant();
}

/** Ends the program of a refresh token, of whichever generation. */
export async function revokeProgram(http: ConsoleRequest, text: string, deps: DeviceDeps): Promise<void> {
  const token = await readToken(text, deps);
  const key = token && (await deps.accounts.key(token.organization, token.key));
  if (!isSignedIn(key, deps.now())) return;
  const found = await deps.users.read(key.created_by);
  await endProgram(http, key, found?.user, deps);
}

/** A process that has the next version of the secret already may have made the token. */
async function readToken(text: string, { keys }: DeviceDeps): Promise<ProgramToken | undefined> {
  const known = await keys();
  return readProgramToken(text, eachVersion(known)) ?? readProgramToken(text, eachVersion(await keys(known)));
}

function verdictOf({ program }: ProgramKey, { generation }: ProgramToken, { now }: DeviceDeps) {
  return refreshOf(program, generation, now(), consoleLimits.programGraceSeconds);
}

/** Gives the key the secret of the next generation; undefined where the token's is not the key's, or not any more. */
async function changeSecret(
  key: ProgramKey,
  token: ProgramToken,
  deps: DeviceDeps,
): Promise<ProgramKey | undefined> {
  if (verdictOf(key, token, deps) !== "next") return undefined;
  await pace(key.id, deps);
  const at = deps.now();
  const { current } = await deps.keys();
  const program = {
    ...key.program,
    ...{ generation: token.generation + 1, refreshed_at: at, version: current.version },
  };
  const isOver = key.expires_at !== null && key.expires_at <= at;
  // A secret that has ended stays so: processes may remember that.
  const overlap = isOver ? 0 : consoleLimits.programOverlapSeconds;
  const made = programSecret(key.mode, program, current);
  const rotation = rotationOf(made, { overlap, isByProgram: true }, await deps.peppers(), () => at);
  const of = (read: KeyRecord): KeyRecord => {
    if (read.program?.generation !== token.generation) throw new QuickerRefresh();
    return rotation.of({ ...read, program, expires_at: secretEnd(at) });
  };
  try {
    const changed = await deps.accounts.changeKey(key.organization, key.id, { ...rotation.change, at, of });
    if (!changed) throw noGrant();
    return changed.after as ProgramKey;
  } catch (error) {
    if (error instanceof QuickerRefresh) return undefined;
    throw error;
  }
}

/** Another refresh has changed the key since it was read. */
class QuickerRefresh extends Error {}

/** Each refresh leaves the hash of a secret behind, so that they have a bound. */
async function pace(key: string, { velocity, now }: DeviceDeps): Promise<void> {
  const window = spanOf(now(), "hour");
  const ends_at = spanEnd(window);
  const count = { what: `refreshes:${key}`, window, most: consoleLimits.programRefreshesHourMax, ends_at };
  if (await velocity.take(count)) return;
  const message = `A program gets at most ${consoleLimits.programRefreshesHourMax} secrets an hour.`;
  throw new OAuthError("slow_down", message, ends_at - now());
}

/** The tokens of a key as it is, which are the same whoever makes them. */
async function tokensOf(key: ProgramKey, deps: DeviceDeps): Promise<ProgramTokens> {
  const { program, organization, id } = key;
  const keys: IdentityKeys | undefined = await keysOfVersion(program.version, deps.keys);
  if (!keys) throw noGrant();
  const { secret } = programSecret(key.mode, program, keys);
  const token = { organization, key: id, generation: program.generation };
  return { key, secret, refresh_token: programToken(token, (await deps.keys()).current) };
}

/** Revokes a program's key, with its line of the audit log. */
async function endProgram(
  http: ConsoleRequest,
  { organization, id, created_by }: ProgramKey,
  user: User | undefined,
  { auditedKeys, log, now }: DeviceDeps,
): Promise<void> {
  const actor = { user: user ?? { id: created_by, name: "" }, organization: { id: organization } };
  const entryOf = revocationBy(entriesBy({ ...actor, session: { id } }, http, now));
  await auditedKeys.revoke(organization, [id], now(), entryOf);
  log("info", "key_revoked", { organization, key: id });
}
