/** An organization's own keys at providers (shared/calls/upstreams/own-keys.md). They stand in its record. */

/**
 * When a key serves: `only`: models of its provider are called with the organization's own keys, and never with ours.
 * `first`: before ours. `after`: behind ours.
 */
export const ownKeyUses = ["only", "first", "after"] as const;
export type OwnKeyUse = (typeof ownKeyUses)[number];

export interface OwnKey {
  /** The provider's name in the catalog. An organization has one key at each. */
  provider: string;
  use: OwnKeyUse;
  /** The key in its envelope (base/platform/envelope.ts). Its context is `ownKeyContext`. */
  sealed: string;
  last_four: string;
  /** When the key was given, Unix milliseconds. */
  set_at: number;
}

/** For whom the envelope of a key opens. */
export function ownKeyContext(organization: string, provider: string): Record<string, string> {
  return { organization, provider };
}
