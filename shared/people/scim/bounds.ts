/** The bounds of SCIM, units last in the name. */
export const scimLimits = {
  /** People and groups that one organization's provider may provision. */
  peopleMax: 5_000,
  groupsMax: 150,
  /** Calls of one token. A new person takes 16 write units, and the place of one in a group 7 (README.md "What it takes"). */
  callsAMinuteMax: 600,
  /** Texts of a person or a group, such as a name. */
  textCharsMax: 256,
  emailsMax: 5,
  bodyBytesMax: 256 * 1024,
  /** Operations of one PATCH, and members of one request. */
  operationsMax: 100,
  membersMax: 2_000,
  /** People whose groups are changed at the same time. */
  changesAtOnce: 8,
  pageMax: 200,
  filterCharsMax: 1_024,
  /** Conditions of one filter. */
  conditionsMax: 4,
  /** The last call is noted once in so many milliseconds. */
  notedMs: 60_000,
} as const;
