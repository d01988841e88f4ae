/** The access token of a session: a JWT (RFC 9068) with one fixed algorithm. It says who calls for ten minutes. */
import { jwtVerify, SignJWT } from "jose";
import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";
import { isId } from "../../base/platform/id.ts";
import { type IdentityKeys, keysOfVersion, type ReadKeys } from "./identity-keys.ts";
import type { Role } from "./user.ts";

/** Who a token names. */
export interface AccessClaims {
  user: string;
  session: string;
  organization: string;
}

const algorithm = "HS256";
const type = "at+jwt";
const issuer = "model-gateway/console";
const audience = "model-gateway";

/** A token that is good from `at` (Unix ms) for `accessTokenSeconds`. The role is for the browser, and proves nothing. */
export async function signAccessToken(
  { user, session, organization, role }: AccessClaims & { role: Role },
  at: number,
  { version, accessTokens }: IdentityKeys,
): Promise<string> {
  const issued = Math.floor(at / 1000);
  return await new SignJWT({ sid: session, org: organization, role })
    .setProtectedHeader({ alg: algorithm, typ: type, kid: String(version) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(user)
    .setIssuedAt(issued)
    .setExpirationTime(issued + consoleLimits.accessTokenSeconds)
    .sign(accessTokens);
}

/** Who a token names at `now` (Unix ms). Throws `session_expired` for any text that is no token of ours, or too old. */
export async function readAccessToken(token: string, now: number, readKeys: ReadKeys): Promise<AccessClaims> {
  const { payload } = await jwtVerify(token, ({ kid = "" }) => keyOf(kid, readKeys), {
    algorithms: [algorithm],
    typ: type,
    issuer,
    audience,
    currentDate: new Date(now),
    requiredClaims: ["sub", "sid", "org", "exp"],
  }).catch((error: unknown) => {
    // What is not jose's error is a secret that could not be read, and no fault of the token.
    if (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_J")) throw expired();
    throw error;
  });
  const { sub: user = "", sid, org } = payload;
  const [session, organization] = [String(sid), String(org)];
  if (isId(user, "user") && isId(session, "session") && isId(organization, "organization"))
    return { user, session, organization };
  throw expired();
}

/** The key of the secret's version that a token names. */
async function keyOf(kid: string, readKeys: ReadKeys): Promise<Uint8Array> {
  const keys = /^[1-9]\d{0,8}$/.test(kid) ? await keysOfVersion(Number(kid), readKeys) : undefined;
  if (!keys) throw expired();
  return keys.accessTokens;
}

function expired(): GatewayError {
  return new GatewayError("session_expired");
}
