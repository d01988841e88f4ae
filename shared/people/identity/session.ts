/**
 * The rules of a session: how long it lives, and its chain of refresh tokens. A token is derived from the session and
 * its generation, so nothing secret is stored, and everybody who refreshes at one moment gets the same successor.
 */
import { consoleLimits } from "../../base/console-limits.ts";
import { isId } from "../../base/platform/id.ts";
import type { Organization } from "../../books/accounts/account.ts";
import type { IdentityKeys } from "./identity-keys.ts";
import { readGeneration, writeGeneration } from "./refresh-token.ts";
import type { Session } from "./user.ts";

/** A session as it is stored. */
export interface SessionRecord extends Session {
  /** The organization that it worked in last. The next page opens with it. */
  organization: string;
}

export interface Sessions {
  read(user: string, session: string): Promise<SessionRecord | undefined>;
  /** The sessions of a user, the newest first, at most so many. */
  list(user: string, most: number): Promise<SessionRecord[]>;
  /** The sessions of a user that began at `at` (Unix ms) or later, the newest first. */
  since(user: string, at: number): AsyncIterable<SessionRecord>;
  /** Raises the generation of an open session at `at` (Unix ms) and notes its organization. False: it has changed. */
  refresh(session: SessionRecord, organization: string, at: number): Promise<boolean>;
  /** Ends a session at `at` (Unix ms). False where there is none that is open. */
  end(user: string, session: string, at: number): Promise<boolean>;
}

/**
 * Unix milliseconds from which a session is over, whatever happens until then without a refresh. One of a provider ends
 * `providerSeconds` after it began: so the provider says once a day whether it still knows somebody, and as what.
 */
export function sessionEnd(
  { created_at, refreshed_at, sign_on }: Pick<Session, "created_at" | "refreshed_at" | "sign_on">,
  providerSeconds: number = consoleLimits.signOnSessionSeconds,
): number {
  const most = sign_on === undefined ? consoleLimits.sessionSecondsMax : providerSeconds;
  const sliding = refreshed_at + consoleLimits.sessionSeconds * 1000;
  return Math.min(sliding, created_at + most * 1000);
}

/** Whether a session may be used at `now` (Unix ms). */
export function isOpen(session: Session, now: number): boolean {
  return session.ended_at === null && now < sessionEnd(session);
}

/**
 * Whether a session may work in an organization. One of a provider opens the provider's own organization alone, or who
 * runs a provider could work as somebody elsewhere, and only until the organization takes another provider. One of a
 * code opens none that demands its provider.
 */
export function mayOpen(
  { sign_on, connection_at = 0 }: Pick<Session, "sign_on" | "connection_at">,
  organization: Pick<Organization, "id" | "sign_on" | "sign_on_since">,
): boolean {
  if (sign_on === undefined) return organization.sign_on !== "required";
  return sign_on === organization.id && connection_at >= (organization.sign_on_since ?? 0);
}

/** How a session came in, as what it approves keeps it. */
export function wayIn({
  sign_on,
  connection_at,
}: Pick<Session, "sign_on" | "connection_at">): Pick<Session, "sign_on" | "connection_at"> {
  return {
    ...(sign_on !== undefined && { sign_on }),
    ...(connection_at !== undefined && { connection_at }),
  };
}

export interface RefreshToken {
  user: string;
  session: string;
  generation: number;
}

/** The refresh token of a session's generation: `user.session.generation.HMAC`. */
export function refreshToken(
  { user, session, generation }: RefreshToken,
  { refreshTokens }: IdentityKeys,
): string {
  return writeGeneration({ ids: [user, session], generation }, refreshTokens);
}

/** What a text says that one of these versions of the keys has made; undefined for any other text. */
export function readRefreshToken(text: string, versions: readonly IdentityKeys[]): RefreshToken | undefined {
  const said = readGeneration(
    text,
    versions.map(({ refreshTokens }) => refreshTokens),
  );
  if (!said) return undefined;
  const [user, session] = said.ids;
  if (!isId(user, "user") || !isId(session, "session")) return undefined;
  return { user, session, generation: said.generation };
}

/**
 * What a token of this generation may do at `now` (Unix ms). `next`: the generation rises. `repeat`: another tab was
 * quicker within `graceSeconds`, and this one gets the same successor. `reused`: somebody has kept an old token.
 * `unknown`: the session never had it.
 */
export function refreshOf(
  { generation, refreshed_at }: Pick<Session, "generation" | "refreshed_at">,
  given: number,
  now: number,
  graceSeconds: number = consoleLimits.refreshGraceSeconds,
): "next" | "repeat" | "reused" | "unknown" {
  if (given === generation) return "next";
  if (given > generation) return "unknown";
  const isRecent = now < refreshed_at + graceSeconds * 1000;
  return given === generation - 1 && isRecent ? "repeat" : "reused";
}
