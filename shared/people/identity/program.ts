/** The rules of a program that is signed in: its tokens, its secrets, and when it is over (programs.md). */
import { createHmac } from "node:crypto";
import { consoleLimits } from "../../base/console-limits.ts";
import { newApiKey } from "../../base/platform/api-key.ts";
import { isId } from "../../base/platform/id.ts";
import type { KeyRecord } from "../../books/accounts/account.ts";
import type { SignedInProgram } from "../../books/accounts/program.ts";
import type { IdentityKeys } from "./identity-keys.ts";
import { readGeneration, writeGeneration } from "./refresh-token.ts";
import { sessionEnd } from "./session.ts";

export interface ProgramToken {
  organization: string;
  key: string;
  generation: number;
}

/** The refresh token of a generation of a program's key: `organization.key.generation.HMAC`. */
export function programToken({ organization, key, generation }: ProgramToken, keys: IdentityKeys): string {
  return writeGeneration({ ids: [organization, key], generation }, keys.programTokens);
}

/** What a text says that one of these versions of the keys has made; undefined for any other text. */
export function readProgramToken(text: string, versions: readonly IdentityKeys[]): ProgramToken | undefined {
  const said = readGeneration(
    text,
    versions.map(({ programTokens }) => programTokens),
  );
  if (!said) return undefined;
  const [organization, key] = said.ids;
  if (!isId(organization, "organization") || !isId(key, "key")) return undefined;
  return { organization, key, generation: said.generation };
}

/** The secret of a generation. Whoever makes it again with the same version of the keys makes the same. */
export function programSecret(
  mode: KeyRecord["mode"],
  { request, generation }: Pick<SignedInProgram, "request" | "generation">,
  { programSecrets }: IdentityKeys,
): ReturnType<typeof newApiKey> {
  const bytes = createHmac("sha256", programSecrets).update(`${request} ${generation}`).digest();
  return newApiKey(mode, bytes);
}

/** A key that is a program's. */
export type ProgramKey = KeyRecord & Required<Pick<KeyRecord, "program" | "created_by">>;

/** Whether a key is a program's that is still signed in at `now` (Unix ms). The key itself may have ended by its time. */
export function isSignedIn(key: KeyRecord | undefined, now: number): key is ProgramKey {
  if (!key?.program || key.created_by === undefined || key.status === "revoked") return false;
  return now < signInEnd({ ...key, program: key.program });
}

/** Unix milliseconds from which a program's sign-in is over, whatever happens until then without a refresh. */
export function signInEnd({
  created_at,
  program: { refreshed_at, sign_on },
}: Pick<ProgramKey, "created_at" | "program">): number {
  const session = { created_at, refreshed_at, ...(sign_on !== undefined && { sign_on }) };
  return sessionEnd(session, consoleLimits.signOnProgramSeconds);
}

/** When a secret that is made at `at` (Unix ms) ends. */
export function secretEnd(at: number): number {
  return at + consoleLimits.programKeySeconds * 1000;
}
