/** The key that the playground calls with: made at the first call, good for an hour, revoked when the page is left. */
import { useEffect, useRef } from "preact/hooks";
import type { BillingMode, MadeKey } from "./api-types.ts";
import { api } from "./session.ts";

const hourMs = 3_600_000;
/** A key that ends this soon is replaced before a call. */
const leadMs = 5 * 60_000;

interface Made {
  mode: BillingMode;
  endsAt: number;
  key: Promise<MadeKey>;
}

/** Gives the secret of a key that is paid so. Rejects with a `Problem` where none can be made. */
export function usePlaygroundKey(name: string): (mode: BillingMode) => Promise<string> {
  const made = useRef<Made | undefined>(undefined);
  const revoke = () => {
    const before = made.current;
    made.current = undefined;
    // It ends within the hour by itself, so nobody is told where this fails.
    before?.key
      .then(({ id }) => api.remove<"revoke_key">(`/api/v1/keys/${encodeURIComponent(id)}`, { isQuiet: true }))
      .catch(() => undefined);
  };
  useEffect(() => {
    addEventListener("pagehide", revoke);
    return () => {
      removeEventListener("pagehide", revoke);
      revoke();
    };
  }, []);
  return async (mode) => {
    const now = Date.now();
    if (made.current?.mode !== mode || made.current.endsAt - now < leadMs) {
      revoke();
      const endsAt = now + hourMs;
      const body = {
        name,
        billing_mode: mode,
        expires_at: new Date(endsAt).toISOString(),
        limits: { max_concurrency: 2 },
      };
      made.current = { mode, endsAt, key: api.post<"create_key">("/api/v1/keys", body) };
      // One that could not be made is tried again with the next call.
      made.current.key.catch(() => {
        made.current = undefined;
      });
    }
    return (await made.current.key).key;
  };
}
