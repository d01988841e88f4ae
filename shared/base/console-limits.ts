/** The bounds of accounts, payments and the console, units last in the name (as `limits.ts`). */
export const consoleLimits = {
  /** How long the secret of a key may be in force beside the one that took its place. */
  secretOverlapSecondsMax: 7 * 86_400,
  /** A request's body: nothing that the console sends is larger. */
  bodyBytesMax: 64 * 1024,
  memberPageMax: 50,
  /** How long the record of a member who has left is kept. */
  memberKeptSeconds: 86_400,
  /** Invitations of one organization that wait at a time. */
  invitationsOpenMax: 50,
  invitationDays: 7,
  /** How long the record of an invitation is kept after its end. */
  invitationKeptSeconds: 86_400,
  /** Keys that may be in use at a time: neither revoked nor expired. Those of a member are those that they have made. */
  keysOfMemberMax: 100,
  keysOfOrganizationMax: 1_000,
  /** Projects of one organization that have a record, and members of one project. */
  projectsMax: 200,
  projectMembersMax: 50,
  projectPageMax: 50,
  /** How long somebody should wait whose key was not made because many others were made at that moment. */
  keyWaitMs: 1_000,
  /** Keys that one page reads at most to find those of one member. */
  ownKeyReadsMax: 1000,
  /** How often a change begins anew because somebody changed the same thing meanwhile. */
  memberAttemptsMax: 4,
  /** How long an order can be paid. */
  orderLifeMs: 15 * 60_000,
  /** Orders of one organization that wait for their customer. */
  openOrdersMax: 5,
  /** Orders that one organization makes in an hour of the clock. */
  ordersOfHourMax: 30,
  /** After a charge that nobody made by hand has failed, how long until the next one; behind the last, it pauses. */
  topUpRetriesMs: [3_600_000, 86_400_000],
  /** A page may ask a platform about an order only this long after the last question. */
  orderAskGapMs: 3_000,
  /** A payment that is not booked after this time rings an alarm. */
  orderOverdueMs: 10 * 60_000,
  /** Orders that one run of the reconciler reads of each kind, and how many it looks at at once. */
  reconcileOrdersMax: 300,
  reconcileAtOnceMax: 10,
  /** Each of those takes this long at least, so that a platform is asked 20 times a second at most. */
  reconcileGapMs: 500,
  /** After this time a run of the reconciler begins with no further orders. */
  reconcileMs: 15_000,
  /** After so many questions that a platform was slow to fail, a run asks it no more; and what is slow. */
  reconcileSilencesMax: 3,
  reconcileSlowMs: 2_000,
  orderListMax: 50,
  /** Orders or invoices on one page in CSV, some 300 bytes each. */
  csvListMax: 500,
  /** An `Idempotency-Key` of an order is good for a day. */
  orderClaimSeconds: 86_400,
  /** So many days before a paid plan's end its owners are told, where the stage has a template for it. */
  planNoticeDays: [7, 3, 1],
  /** Such a message that arrives later than this is of no use. */
  planNoticeSeconds: 86_400,
  /** Organizations that one run tells, and the time after which it begins with no further one. */
  planNoticesMax: 50,
  planNoticesMs: 10_000,
  /** Owners of one organization that are told. */
  planNoticeOwnersMax: 5,
  /** How far ahead a plan can be paid for. */
  paidAheadMonthsMax: 24,
  /** Orders on one invoice: each takes two actions of a transaction of a hundred. */
  invoiceOrdersMax: 20,
  /** Invoices on one page of a list, and orders that one page reads to find those that are not invoiced. */
  invoiceListMax: 50,
  invoiceOrderReadsMax: 200,
  /** How often the issue of an invoice begins anew because another one took the number. */
  issueRoundsMax: 200,
  emailCharsMax: 254,
  invoiceNoteCharsMax: 500,
  invoiceNameCharsMax: 100,
  /** Rollups that one answer about statements reads, and the months and models that it adds up. */
  statementRollupsMax: 100_000,
  statementGroupsMax: 50_000,
  /** Entries of the audit log that one page shows, and those that it reads at most to find them. */
  auditPageMax: 50,
  auditReadsMax: 1000,
  /** A verification code: how long it is good, and how many guesses it takes. */
  codeSeconds: 300,
  codeTriesMax: 5,
  /** Wrong codes from one address within an hour, for all phones together; and from its /24, or /48 of IPv6. */
  guessesOfIpHourMax: 60,
  guessesOfNetworkHourMax: 300,
  /** How young a session has to be to change by what its user signs in. */
  freshSessionSeconds: 900,
  /** How soon a contact gets another code, how many that nobody enters, and how often one of them is forgotten. */
  codeResendSeconds: 60,
  codesOpenMax: 10,
  codeForgottenHours: 3,
  /** Of those of a UTC day, how many are asked for by one address. */
  codesOfAddressMax: 5,
  accessTokenSeconds: 600,
  /** How long a session lives without a refresh, and how long in all. */
  sessionSeconds: 30 * 86_400,
  sessionSecondsMax: 90 * 86_400,
  /** How long one of an organization's own provider lives in all, and a program that such a session has signed in. */
  signOnSessionSeconds: 86_400,
  signOnProgramSeconds: 7 * 86_400,
  /** How long the refresh token before the last one is good, for tabs that refresh at one moment. */
  refreshGraceSeconds: 10,
  /** How many sessions a list shows. */
  sessionListMax: 100,
  /** What a browser says it is, cut to this. */
  sessionLabelCharsMax: 120,
  callsPerSessionAMinuteMax: 120,
  /** Signing in a program (identity/programs.md): how long its codes are good, and how often it may ask. */
  deviceCodeSeconds: 600,
  devicePollSeconds: 5,
  /** How long the request is kept after its end. */
  deviceKeptSeconds: 3_600,
  /** Requests of one address within an hour, and of its /24, or /48 of IPv6. */
  devicesOfIpHourMax: 30,
  devicesOfNetworkHourMax: 300,
  /** What a program calls itself, and its machine: both are in the name of its key. */
  programNameCharsMax: 60,
  /** Programs of one member that are signed in at a time. */
  programsOfMemberMax: 20,
  /** How long a secret of a program's key is good, and how long beside the next one. */
  programKeySeconds: 8 * 3_600,
  programOverlapSeconds: 900,
  /** How long the refresh token before the last one is good: an answer may be lost. */
  programGraceSeconds: 60,
  /** How often one program gets another secret within an hour. */
  programRefreshesHourMax: 20,
  /** How many organizations one user may be a member of: one read gets all their records. */
  membershipsMax: 100,
  nameCharsMax: 64,
  /** A page of the export in FOCUS ends behind so many bytes: a function's answer has 6 MB, with its escapes. */
  focusBytesMax: 2_500_000,
  /** Points of all series of one answer together, beyond which it is refused: some 1.5 MB of JSON. */
  seriesPointsMax: 20_000,
  /** Rollups that one answer reads, and entries that one by user reads: a few seconds for each. */
  seriesRollupsMax: 100_000,
  seriesEntriesMax: 50_000,
  callPageMax: 200,
  /** Entries of yesterday's running hour that the overview reads to compare the two days to the minute. */
  comparedEntriesMax: 300,
  /** An overview that takes more rollups than this is told again for so long, to so many who look at one. */
  recentRollupsMax: 1_000,
  recentUseMs: 60_000,
  recentUsesMax: 1_000,
  /** Days of use that the pace is taken from, today included. */
  paceDays: 7,
  /** The balance is low when it lasts fewer whole days than this, at the pace of the last days. */
  lowBalanceDays: 3,
  /** How long before the end of a plan the overview says so. */
  planEndsDays: 7,
  /** More days than this are not foretold. */
  daysLeftMax: 9_999,

  /** Verification messages (identity/sms/README.md). A stage's secret may set the first four itself. */
  smsOfIpHourMax: 10,
  /** Of all addresses of a /24, or of a /48 of IPv6. */
  smsOfNetworkHourMax: 50,
  /** Of the ten thousand numbers that differ in the last four digits. */
  smsOfPrefixHourMax: 20,
  smsOfCountryDayMax: 1_000,
  /** From this part of their hour's messages on, an address and a prefix are warm: a challenge has to be solved. */
  smsWarmPercent: 30,
  /** What phones without an account may have of the messages that are allowed by now. The others are the reserve. */
  smsStrangersPercent: 70,
  /** From each of these parts of them on, everybody solves a challenge, and one of twice the work than before. */
  smsHardeningPercents: [25, 40, 55, 70],
  /** From this part of them on, an alarm rings. */
  smsLowPercent: 50,
  /** What an operator adds to a day at a time. */
  smsRaiseMax: 100_000,
  /** A block of numbers is stopped where fewer of its messages than this are completed … */
  smsCompletedPercentMin: 20,
  /** … out of at least so many within an hour. */
  smsRatedMin: 50,
  smsStopSeconds: 3_600,
  smsTimeoutMs: 5_000,
  /** A challenge takes 2 to the power of this many hashes on average. */
  humanBits: 18,
  humanSeconds: 120,
  /** A payment platform's whole answer, from the request to its last byte. */
  platformAnswerMs: 5_000,
  platformConnectMs: 3_000,
  platformAnswerBytesMax: 256 * 1024,
  /** The shortest RSA key of a payment platform. */
  platformKeyBitsMin: 2_048,
  /** How far the time in a platform's signature may be from ours. */
  noticeAgeSecondsMax: 300,
} as const;
