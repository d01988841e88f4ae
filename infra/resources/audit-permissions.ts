/** What an audit and the close of a month need of an account (operator-permissions.ts). */
import { countingUsage } from "./doctor-permissions.ts";
import { type AwsPermission, type CommandNeeds, items } from "./operator-permission.ts";

export const readingPepper = "secretsmanager:GetSecretValue pepper";
export const listingMeters = items("counters/index Query", "counters BatchGetItem");
export const readingDeadLetters: AwsPermission[] = [
  "sqs:ReceiveMessage usageDeadLetters",
  "sqs:ChangeMessageVisibility usageDeadLetters",
];

export const auditing: CommandNeeds = {
  uses: [
    ...items("keys Scan"),
    ...listingMeters,
    ...items("ledger GetItem Query Scan", "accounts Scan", "tasks GetItem Scan"),
    ...countingUsage,
  ],
  seldom: { "there are dead letters": [...readingDeadLetters, ...items("counters GetItem")] },
};
export const readingMonth: readonly AwsPermission[] = items(
  "keys Scan",
  "accounts Query",
  "ledger GetItem",
  "ledger Query",
);
export const checkingMonth: CommandNeeds = {
  ...auditing,
  uses: [...new Set([...auditing.uses, ...readingMonth])],
};
export const closingMonth: readonly AwsPermission[] = [
  ...checkingMonth.uses,
  ...items("accounts PutItem UpdateItem"),
  readingPepper,
];
