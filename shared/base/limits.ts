/** The bounds of calls, units last in the name; a room's own may stand in its `bounds.ts`. No client sets any. */
export const limits = {
  /** Lambda refuses events above 6 MB itself; ours is below it, so that the answer is in the route's style. */
  bodyBytesMax: 5_500_000,
  /** Encodings of one body: nobody has a reason for more. */
  bodyEncodingsMax: 2,
  jsonDepthMax: 100,
  /** In a larger body, texts that are longer than this stay bytes until somebody reads them (json/outline.ts). */
  outlinedBytesMin: 16 * 1024,
  longTextBytesMin: 256,
  /** A longer slice of a request is sent as it is, without a copy. */
  copiedSliceBytesMax: 16 * 1024,
  formPartsMax: 100,
  /** The head of one part: its name, file name and media type. */
  formHeadBytesMax: 8 * 1024,
  /** `user` and Anthropic's `metadata.user_id` (design: kept on event, entry and export). */
  userBytesMax: 256,
  /** Tags of a call, and the characters of their names and values: at most 783 bytes of each of its records. */
  tagsMax: 8,
  tagNameCharsMax: 32,
  tagValueCharsMax: 64,
  credentialBytesMax: 512,
  /** How long a browser may go by the answer to a preflight. */
  preflightSeconds: 86_400,
  /** The names of headers that a preflight asks for. */
  preflightHeadersCharsMax: 4_096,
  modelNameBytesMax: 256,
  choicesMax: 128,
  /** Pictures of one call (Ark's own bound, protocols.md §4.3). */
  imagesMax: 15,
  /** Texts of one call for vectors whose body is written anew. Gemini refuses more. */
  embeddedTextsMax: 100,
  /** Requests of one call that are under way at once, where a host takes its inputs one by one. */
  partsAtOnce: 8,
  /** A whole (not streamed) provider reply. */
  replyBytesMax: 64 * 1024 * 1024,
  /** One provider frame: the last of a stream may repeat its whole reply with every picture. Larger ones break it. */
  frameBytesMax: 64 * 1024 * 1024,
  /**
   * Frames of a stream that wait to be counted, for a call whose provider reports no usage. More are counted at once.
   */
  observedBytesMax: 4 * 1024 * 1024,
  /**
   * What a provider may send until its first frame is there, comments included. Beyond it the next channel is asked.
   */
  openingBytesMax: 64 * 1024 * 1024,
  /** What is held back of a stream, from its usage to its end: one frame of the largest size, and many small ones. */
  heldBytesMax: 72 * 1024 * 1024,
  /** Characters of an answer that crosses to another protocol, whose last event may repeat all of them. */
  crossedCharsMax: 16 * 1024 * 1024,
  errorMessageBytesMax: 1024,
  /** The longest id of a provider that is marked. What is longer stays as it is, and may not be sent back. */
  providerIdCharsMax: 256,
  /** A provider's error that is read at all, and what of its sentence is logged where it may be. */
  errorBodyBytesMax: 1024 * 1024,
  errorExcerptCharsMax: 300,
  droppedNamesMax: 20,

  /** The likely input tokens of a picture or file: for windows, and where a provider reported nothing. */
  mediaTokens: 4_096,
  /**
   * The most input tokens of one picture, as vendors publish it. OpenAI: 2,833 and eight tiles of 5,667 (gpt-4o-mini).
   * Anthropic: 4,784 patches. Gemini: 24 tiles of 258. Ark and Zhipu publish less. Bedrock sells models of every maker.
   */
  pictureTokens: {
    openai: 48_169,
    responses: 48_169,
    anthropic: 4_784,
    gemini: 6_192,
    ark: 48_169,
    zhipu: 48_169,
    converse: 48_169,
  },
  /** Part of the plan's tokens a minute that media of one call reserve at most: one in so many. */
  mediaWindowParts: 4,
  /** How far a report may go beyond what the model takes and gives before it is not believed. */
  plausibleFactor: 4,
  /** Rounds in which a provider's own tools may read the whole input again (Anthropic ends a turn after ten). */
  toolRoundsMax: 10,
  /** What a message, a tool or a call adds to its text: role markers and separators. */
  overheadTokens: 64,
  /** OpenAI's Responses takes no lower maximum of an answer (strictness of its API: `integer_below_min_value`). */
  responsesOutputMin: 16,
  /** Tokens reserved for an answer in a subscription's windows when the request names no maximum. */
  defaultOutputTokens: 1_024,
  /** How much is kept of a tier's or tool's name, and of how many tools of an answer: as an event has room for. */
  switchNameCharsMax: 64,
  switchNamesMax: 32,

  /** Calls of a tool that the provider runs itself, held for where the request bounds them in no way. */
  serverToolCalls: 10,

  /** Output tokens that a strict model's stream holds at a time (billing.md §2.5). */
  strictStepTokens: 4_096,

  /** Token counters outside are clamped here and flagged: a provider's nonsense must not overflow. */
  tokensMax: 2 ** 40,

  /** The longest wait of a provider that is believed. Clients are told to wait no longer. */
  upstreamWaitMaxMs: 3_600_000,
  /** The longest time that a channel is left before a call probes it. */
  channelOpenMaxMs: 60_000,
  /** How long a provider that limits us is left: where it does not say, and the bounds of what it may say. */
  channelLimitedMs: 5_000,
  channelLimitedMinMs: 1_000,
  channelLimitedMaxMs: 60_000,
  /** When a stream is late at the earliest and at the latest, and how often a late call asks whether it may be raced. */
  raceMinMs: 1_500,
  raceMaxMs: 60_000,
  raceAgainMs: 2_000,
  /** A request of more tokens is not raced. */
  raceInputTokensMax: 32_000,
  /** A client's wishes for channels, and what it is told of them. */
  routeHeaderCharsMax: 1_024,
  routeProvidersMax: 20,
  routeExplainBytesMax: 1_024,
  /** Models that a call may name to be asked after its own. */
  fallbackModelsMax: 4,
  /** Models that the answer to an unknown name suggests. */
  modelSuggestionsMax: 3,

  upstreamConnectMs: 5_000,
  /** Until the head of an answer, and between two reads. Node's fetch, and agents that are built on it, wait for 300 s. */
  upstreamSilenceMs: 290_000,
  /** Until the head of a stream, where another channel can be asked. */
  upstreamFailoverMs: 60_000,
  /** A silence in a stream after which a protocol that allows it shows a sign of life. */
  pingMs: 15_000,
  /** How long a provider may keep its socket, or be silent, after the last frame or what could be the last. */
  drainMs: 1_000,
  /** Calls one process serves at once; beyond it 42900. Lambda itself sends one at a time to a sandbox. */
  callsInFlightMax: 1_000,
  /** How long a call on a server may take: Lambda's own maximum, or the sweep would take it for dead. */
  serverCallMs: 900_000,
  /** A request's line and headers on a server. The bounds of bodies there stand in functions/front/bounds.ts. */
  headBytesMax: 32 * 1024,
  /** How long a server waits for a request's head, and for the whole request, from its first byte. */
  requestHeadMs: 20_000,
  requestMs: 120_000,
  /** An idle connection is kept longer than load balancers keep theirs (60 s as a rule), so that they close first. */
  keepAliveMs: 75_000,
  connectionsMax: 4_000,
  /** How long a server reads, and drops, what a refused client still sends. Else the client would miss the answer. */
  lingerMs: 5_000,
  /** One request for the credentials of a role or for a token, and how much is read of its answer. */
  credentialMs: 2_000,
  tokenAnswerBytesMax: 64 * 1024,
  /** How many credentials a process keeps. A role may have a session for each organization. */
  cloudCredentialsMax: 1_000,
  /** How long before their end credentials and tokens are renewed, and how long after a failure again. */
  credentialRenewalMs: 300_000,
  credentialRetryMs: 10_000,
  /** How long calls in flight may go on when their server is told to end. Then they are broken off and settled. */
  serverGraceMs: 20_000,
  /** The same of a Lambda Web Function, which has a second in all (aws.md §2.2). */
  webFunctionGraceMs: 300,
  /** Kept back of the function's own time, so that settlement always fits. */
  settlementReserveMs: 10_000,
  /** A client that takes nothing of its answer for so long is gone. */
  readerStallMs: 30_000,
  /** So long before the provider is broken off a client must be reading, or what is left is read without it. */
  readerLeadMs: 3_000,
  /** A long answer is written in pieces of this size, and each has the time above: a slow client is not a gone one. */
  replyPieceBytes: 64 * 1024,

  /** Shards of one wallet; with so many, 5,000 calls a second are ten writes a second on each (billing.md §2.9). */
  shardsMax: 1_024,
  /** A meter item carries so many holds, about 2 KB, before its wallet is given more shards. */
  shardHolds: 64,
  /** With more calls in flight than these an organization's hours are spread: at 0.25 s a call, 32 calls a second. */
  spreadHolds: 8,
  /** A shard's part of a budget is worth so many calls at least, so that one call in as many has to ask others for more. */
  partCallsMin: 64,
  /** Budgets that an organization may give to its levels, and end customers that one meter item counts in a period. */
  levelBudgetsMax: 100,
  customersMax: 100,
  /** A wallet of fewer shards gets more where they are throttled and carry few holds: 32 take 8,000 calls a second. */
  throttledShardsMax: 32,
  /** How often at most a process asks for more shards of one wallet, or reads its record anew, in a rush. */
  rushAgainMs: 1_000,
  /** Shards a call tries before it asks for all of the wallet's money. */
  shardTriesMax: 3,
  /** Times a call gathers what others may take from under it, and shards are read until nothing moves between them. */
  ...{ gatherRoundsMax: 4, shardReadingsMax: 10 },

  /** How long a process answers by the meter's last refusal: no longer than the shortest `retry-after`. */
  refusalMemoryMs: 1_000,
  refusalMemoryMax: 1_000,
  /** The longest `retry-after` of a limit of the minute. */
  retryAfterSecondsMax: 60,

  keyCacheSeconds: 30,
  keyCacheMax: 10_000,
  /** How long a process answers for a key that it found wrong without a read, and how many such keys it knows. */
  refusedKeySeconds: 10,
  refusedKeysMax: 10_000,
  /** How old a secret may be that a call is given, and from when on it is read again beside the calls. */
  secretCacheSeconds: 300,
  secretRefreshSeconds: 240,
  /** How often it is read at most because the copy in memory did not open something. */
  secretRenewSeconds: 10,

  /** A hold older than this belongs to a dead call: Lambda's maximum of 900 s and a grace. */
  holdExpirySeconds: 1_020,
  /** How often the sweep reads every meter, and not only those with marks. */
  everyMeterSeconds: 3_600,
  /** Two passes of the sweep, for the audit: a hold older than its expiry and this was forgotten. */
  sweepsGraceSeconds: 600,
  intentLifetimeSeconds: 3 * 86_400,
  /** How long a dead letter is kept (SQS's maximum); the audit fails at half of it, while there is time to redrive. */
  deadLetterSeconds: 14 * 86_400,
  /** How long a repeated `Idempotency-Key` is the same call. */
  idempotencySeconds: 86_400,
  idempotencyKeyBytesMax: 255,
  /** An answer that is kept for repetition: as it left, and compressed (DynamoDB's items end at 400 KB). */
  replayBytesMax: 4 * 1024 * 1024,
  replayBoxBytesMax: 350 * 1024,
  /** Compressed answers up to this lie in the key's record, which is 225 bytes without and one unit up to 1,024. */
  replayInRecordBytesMax: 768,
  /** How long an admitted call waits for the cache. The other bounds of the cache stand in cache/bounds.ts. */
  cacheWaitMs: 100,
  /** How often the learner is given a lesson that it cannot learn now, or not at all. */
  lessonTriesMax: 4,
  /** How long a day is over before it is sealed: a clock that is wrong by less cannot break a sum. */
  sealGraceSeconds: 2 * 3_600,
  /** Refused settlements that a process keeps for its next ones. */
  unsettledMax: 1_000,
  /** How many organizations with spread hours a process knows. */
  spreadKnownMax: 10_000,
  /** Seconds of a video (contract §8), and the frames a provider takes in their place (protocols.md §4.4). */
  videoSecondsMax: 15,
  videoFramesMin: 29,
  videoFramesMax: 289,
  /** Frames of a second, where the provider does not say. */
  videoFramesPerSecond: 24,
  /** A task without a verdict ends here as `expired` (design §4 "Video task"), or earlier if a stage says so. */
  taskLifetimeSeconds: 86_400,
  /** Open tasks of one meter item: each adds 45 bytes that every write on the item pays for (400 KB is its end). */
  openTasksMax: 1_000,
  /** A video takes minutes: a task still open after so long is looked after by the sweep. */
  taskOverdueSeconds: 600,
  /** Tasks of one meter that the sweep looks after at a time. More would wait for one another at the meter's item. */
  repairsAtOnce: 4,
  /** What is kept of a task's request: as long as anyone may have to submit it. */
  taskRequestLifetimeSeconds: 3 * 86_400,
  /** One part of a request, within DynamoDB's 400 KB an item. */
  taskRequestPartBytes: 350_000,
  /** How long a cancel waits for a task that is being submitted, and between two looks. */
  cancelWaitMs: 5_000,
  cancelLookMs: 250,
  /** One call of the provider's task interface, from its beginning to the end of the answer. */
  taskCallMs: 30_000,
  /** What such an answer may weigh, and what of it is kept: an item of the tasks table ends at 400 KB. */
  taskReplyBytesMax: 1024 * 1024,
  taskUpstreamIdCharsMax: 512,
  videoUrlCharsMax: 8 * 1024,
  videoWordCharsMax: 16,
  /** The vendor keeps 7 days of tasks to list, and pages of at most 500 (protocols.md §4.4). */
  taskListDays: 7,
  taskListPageMax: 500,
  /** Tasks an organization's list goes back at most: what one call may read, about 10 MB. */
  taskListMax: 5_000,
  reportRangeDaysMax: 366,
  /** Hours of a report, and users and tags, which are unbounded and so are added up from entries. */
  reportHoursDaysMax: 31,
  reportEntriesDaysMax: 31,
  /** Attempts that a usage event tells of one call, and the characters of a name in them. */
  routeAttemptsMax: 16,
  routeNameCharsMax: 64,
  /** Groups of a report: some 3 MB of JSON. */
  reportGroupsMax: 10_000,
  /** Entries of a report by user or tag: some 150 MB are read for it, page by page. */
  reportEntriesMax: 100_000,
  /** Hours of entries that a report reads at a time. */
  reportHoursAtOnce: 8,
  /** Keys that a report by key reads at a time, for their names. */
  reportKeysAtOnce: 500,
  /** Names of query parameters that one answer finds fault with. */
  queryFaultsMax: 20,
  /** Models of one page: Anthropic and Gemini have this bound. */
  modelPageMax: 1_000,
  callListMax: 100,
  /** The same of a page in CSV, some 300 bytes each. */
  callCsvMax: 1_000,
  /** Entries that one page of the list of calls reads at most, whatever its filter leaves of them. */
  callListReadsMax: 2_000,
  /** An hour is a query of its own, which takes about as long as reading so many entries. */
  callListHourReads: 10,
  /** How far the list of calls goes back without `from`. */
  callListDays: 31,
  keyListMax: 100,
  /** The most calls in flight that a key's own cap may allow. */
  keyConcurrencyMax: 10_000,
  /** An amount of points in a request: 19 digits, a point and 18 decimals are the most that one needs. */
  pointsCharsMax: 64,
  /** How old a price may be before the catalog's check says so: a quarter, as vendors change theirs. */
  priceAgeDaysMax: 90,
  /** The same of what a model takes, which vendors change with their models: a year. */
  traitsAgeDaysMax: 365,
} as const;
