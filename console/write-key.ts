import { useRef } from "preact/hooks";

/** A key for `Idempotency-Key`: the same until `what` is done, so that a second try does nothing twice. */
export function useWriteKey(): { of: (what: string) => string; forget: () => void } {
  const kept = useRef<{ what: string; key: string } | undefined>(undefined);
  return {
    of: (what) => {
      if (kept.current?.what !== what) kept.current = { what, key: crypto.randomUUID() };
      return kept.current.key;
    },
    forget: () => {
      kept.current = undefined;
    },
  };
}
