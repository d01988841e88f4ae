/** Bounds of policies (policies.md). */
export const policyBounds = {
  /** Policies that an organization may give to its levels. */
  levelPoliciesMax: 100,
  /** The bytes of their JSON. They are eight read units of its record. */
  policiesBytesMax: 32_768,
  /** The bytes of one policy's JSON. */
  policyBytesMax: 2_048,
  /** The texts of one rule. */
  textsMax: 50,
  /** The longest range of addresses as a text, in characters: an IPv6 address with an IPv4 at its end, and its length. */
  addressCharsMax: 49,
} as const;
/** The bounds of organizations' own provider keys (shared/calls/upstreams/own-keys.md), units last in the name. */
export const ownKeyBounds = {
  /** Keys of an organization: its record, which calls read, stays small. */
  ofOrganizationMax: 20,
  charsMin: 16,
  charsMax: 512,
  /** For how long a process knows an opened key, and how many. */
  openedSeconds: 300,
  openedMax: 1_000,
} as const;
