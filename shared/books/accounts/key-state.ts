/** Whose a key is, and whether it is in force. */
import type { KeyRecord } from "./account.ts";
import type { SignedInProgram } from "./program.ts";

/** The user whom a key descends from: who made it, or who made the first key of the chain that made it. */
export function personOf({ created_by, root }: Pick<KeyRecord, "created_by" | "root">): string | undefined {
  return created_by ?? root;
}

/** Whether a key descends from a user, or its secret was shown to them as it was made anew. */
export function isKnownTo(
  key: Pick<KeyRecord, "created_by" | "root" | "shown_to" | "old">,
  user: string,
): boolean {
  return [personOf(key), key.shown_to, key.old?.shown_to].includes(user);
}

/** Whether a key is not at its end at `now` (Unix milliseconds): it may be used, or it is only disabled. */
export function isKept(
  { status, expires_at }: Pick<KeyRecord, "status" | "expires_at">,
  now: number,
): boolean {
  return status !== "revoked" && (expires_at === null || expires_at > now);
}

/** Whether a key may be used at `now` (Unix milliseconds), as far as it is up to the key. */
export function isLiving(key: Pick<KeyRecord, "status" | "expires_at">, now: number): boolean {
  return key.status === "active" && isKept(key, now);
}

/** What a program is called in lists: with its machine, where it says one. */
export function programName({ client, machine }: Pick<SignedInProgram, "client" | "machine">): string {
  return machine === "" ? client : `${client} (${machine})`;
}
