/** The bounds of webhooks and their deliveries, units last in the name (as `base/limits.ts`). */
export const newsLimits = {
  /** Webhooks of one organization. */
  webhooksMax: 5,
  urlCharsMax: 500,
  /** Where a webhook may be called. */
  ports: [443, 8443],
  secretBytes: 32,
  /** How long the secret before signs too, beside the one that took its place. */
  secretOverlapMs: 86_400_000,
  /** A receiver's answer: until the connection stands, and in all. */
  connectMs: 3_000,
  answerMs: 8_000,
  /** How long after each attempt that failed the next one follows: eight attempts within a day. */
  waitsSeconds: [60, 300, 1_800, 7_200, 18_000, 28_800, 28_800],
  /** A webhook is disabled when nothing has arrived for so long, and an attempt fails again. */
  failingMs: 5 * 86_400_000,
  /** How long a delivery is listed, and can be looked at. */
  deliveryKeptSeconds: 30 * 86_400,
  deliveryPageMax: 50,
  /** How long a line may be on its way into the log: no function of ours runs longer. */
  lineLateMs: 15 * 60_000,
  /** Organizations that one run looks at, and how many of them at a time. */
  organizationsMax: 500,
  organizationsAtOnceMax: 50,
  /** Of one organization in one run: lines, waiting deliveries that are read, and attempts. */
  linesMax: 2_000,
  waitingMax: 200,
  attemptsMax: 40,
  /** After this time of one organization a run begins no more attempts for it. */
  ofOrganizationMs: 4_000,
  /** Writes of one organization at a time, its targets that are attempted, and attempts of one target. */
  atOnceMax: 10,
  targetsAtOnceMax: 5,
  ofTargetAtOnceMax: 4,
  /** How often a run notes how far it has come, for an organization where nothing happens. */
  noteGapMs: 300_000,
  /** After this time a run begins nothing more. */
  runMs: 12_000,
  /** How soon an organization is looked at again: a little less than a minute, which is from one run to the next. */
  lookGapMs: 50_000,
  /** How long whoever has claimed a delivery has for its attempt, before another run may make it. */
  claimMs: 60_000,
  /** Mails to people: of one person in a UTC day; how far back a run looks for lines, and how many it finds there. */
  mailsOfDayMax: 20,
  mailedLinesMs: 3_600_000,
  mailedLinesMax: 2_000,
  /** Mails of one run, of all organizations and of one, and how long the next one waits after each: five a second. */
  mailsOfRunMax: 40,
  mailsOfOrganizationMax: 10,
  mailGapMs: 200,
  /** Of one organization: lines of one run, members who may be told, and members that one read gets. */
  mailedLinesOfRunMax: 100,
  mailedMembersMax: 5_000,
  membersAtOnceMax: 200,
  /** Lines of all organizations, of each mark, that a run reads for the event bus: less than a page of DynamoDB has. */
  eventLinesMax: 5_000,
  /** How long the bus's place waits for an organization that fails, before it passes its lines over. */
  eventsHeldMs: 3_600_000,
  /** How long a webhook's other deliveries wait, after one of them failed. */
  deferMs: 300_000,
} as const;
