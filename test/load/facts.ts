/** What AWS allows (infra/aws.md §13), and what nobody could measure without an account. All else is the product's own. */

/** DynamoDB's tables on demand. */
export const dynamo = {
  /** One partition, a second. The units that it did not use before are not counted on. */
  partition: { write: 1_000, read: 3_000 },
  /** What a new table takes a second. */
  start: { write: 4_000, read: 12_000 },
  /** A table takes no more a second without a higher quota. */
  quota: 40_000,
  /** In so many seconds a table grows to double its earlier peak. */
  growthSeconds: 1_800,
};

/** Lambda's sandboxes of one function. */
export const lambda = {
  /** So many more may start in so many seconds. */
  startsMax: 1_000,
  startsSeconds: 10,
  /** 1,769 MB are one core. */
  megabytesOfCore: 1_769,
};

/** What Lambda's pollers of a queue do. */
export const poller = {
  /** A mapping begins with so many. */
  first: 5,
  /** So many more come in a minute while messages wait. */
  moreInMinute: 300,
  /** From this share of the messages in flight on, and this many, a customer is noisy, and the others go first. */
  noisyShare: 0.1,
  noisyMin: 30,
};

/** Assumed. `npm run load-model -- --transaction-ms N` plays another time of a transaction. */
export const assumed = {
  /** How long the items of a transaction are closed to others. */
  transactionSeconds: 0.015,
  /** How long a transaction takes to be refused. */
  refusalSeconds: 0.005,
  /** CPU that the settling function takes for an event, on a whole core: the upper one of two measured figures. */
  settleCpuSeconds: 97e-6,
  /** A partition that refuses for so long is split. AWS says "minutes". */
  splitSeconds: 300,
};
