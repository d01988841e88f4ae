/** The bounds of sign-on, units last in the name. */
export const signOnLimits = {
  issuerCharsMax: 512,
  clientIdCharsMax: 256,
  clientSecretCharsMax: 1_024,
  scopeCharsMax: 256,
  claimCharsMax: 64,
  groupCharsMax: 256,
  subjectCharsMax: 255,
  /** Rules of one connection, and groups that are read of one token. */
  rulesMax: 100,
  groupsMax: 1_000,
  /** Different projects that all rules of one connection name: so many at most are in a membership, which each call reads. */
  projectsMax: 50,
  /** Domains that one organization claims. */
  domainsMax: 20,
  /** How long somebody has at the provider. */
  attemptSeconds: 600,
  /** Attempts that one address begins within an hour, and those of its /24, or /48 of IPv6. */
  attemptsOfIpHourMax: 120,
  attemptsOfNetworkHourMax: 600,
  /** One request to a provider: until it is connected, in all, and how much is read of the answer. */
  connectMs: 3_000,
  answerMs: 5_000,
  answerBytesMax: 512 * 1024,
  /** One question to DNS, and how often it is asked. */
  dnsMs: 2_000,
  dnsTries: 2,
  /** The record of a domain is looked for again this long after it was seen. */
  domainCheckMs: 86_400_000,
  /** Without its record a domain is good for so long after it was seen. */
  domainKeptMs: 7 * 86_400_000,
} as const;
