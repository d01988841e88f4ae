/** What counts until a known time, such as a token or a role's credentials: kept, and renewed before it ends. */
import { limits } from "../limits.ts";

/** A value that somebody gave us, and until when it counts, in Unix milliseconds. */
export interface Lent<Value> {
  value: Value;
  ends_at: number;
}

/** Gives the value that counts now. */
export interface KeptToken<Value> {
  (): Promise<Value>;
  /**
   * Forgets a value that was refused although it should count: the next caller waits for another one. Only the value
   * that is kept is forgotten, and none that is younger than some seconds. So a crowd that is refused brings about one
   * `obtain`, and a refusal that lasts brings about one in that time.
   */
  drop(value: Value): void;
}

/**
 * Keeps what `obtain` gives. The first callers wait for one `obtain`. Later ones are given what is kept, and from shortly
 * before its end one of them starts the renewal, for which nobody waits. If a renewal fails, the old value serves to its
 * end, and is renewed again a little later. Without a value that counts, it rejects as `obtain` did.
 */
export function keptToken<Value>(obtain: () => Promise<Lent<Value>>, now: () => number): KeptToken<Value> {
  let kept: (Lent<Value> & { asked_at: number; renew_at: number }) | undefined;
  let obtaining: Promise<Value> | undefined;

  const renew = async (): Promise<Value> => {
    const asked_at = now();
    try {
      const lent = await obtain();
      // One that counts only for minutes serves for the first half of them, or each call would renew it.
      const renew_at = Math.max(lent.ends_at - limits.credentialRenewalMs, (asked_at + lent.ends_at) / 2);
      kept = { ...lent, asked_at, renew_at };
      return lent.value;
    } catch (error) {
      if (kept) kept.renew_at = now() + limits.credentialRetryMs;
      throw error;
    } finally {
      obtaining = undefined;
    }
  };

  const token = async (): Promise<Value> => {
    const at = now();
    const counting = kept && at < kept.ends_at ? kept : undefined;
    if (counting && at < counting.renew_at) return counting.value;
    obtaining ??= renew();
    if (!counting) return await obtaining;
    // The failure is told by the first call that has no value left.
    obtaining.catch(() => {});
    return counting.value;
  };
  return Object.assign(token, {
    drop(value: Value) {
      if (kept?.value === value && now() >= kept.asked_at + limits.credentialRetryMs) kept = undefined;
    },
  });
}
