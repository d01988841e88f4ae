/** Organizations' own keys, opened and kept for a while. A process opens one with the first call that needs it. */

import { AwsError } from "../../base/platform/aws.ts";
import { describeError } from "../../base/platform/log.ts";
import { ownKeyBounds } from "../../books/accounts/bounds.ts";
import type { OwnKey } from "../../books/accounts/own-key.ts";
import { ProviderFault } from "./fault.ts";

/** Opens the envelope of an organization's key at a provider. */
export type OpenOwnKey = (organization: string, key: OwnKey) => Promise<string>;

export interface OwnKeys {
  /** The key. Rejects with `ProviderFault` where it cannot be opened. */
  open: OpenOwnKey;
}

/** The keys of a process, of which none is open yet. `now`: Unix milliseconds. */
export function createOwnKeys(unseal: OpenOwnKey, now: () => number): OwnKeys {
  // The one that was opened last stands last.
  const opened = new Map<string, { key: Promise<string>; until: number }>();
  return {
    open(organization, own) {
      const name = `${organization} ${own.sealed}`;
      const known = opened.get(name);
      if (known && now() < known.until) return known.key;
      const key = unseal(organization, own).catch((error: unknown) => {
        opened.delete(name);
        const why = error instanceof AwsError ? error.code : describeError(error);
        throw new ProviderFault(`the organization's own key cannot be opened: ${why}`);
      });
      opened.delete(name);
      opened.set(name, { key, until: now() + ownKeyBounds.openedSeconds * 1000 });
      const [oldest] = opened.size > ownKeyBounds.openedMax ? opened.keys() : [];
      if (oldest !== undefined) opened.delete(oldest);
      return key;
    },
  };
}
