/** What each command needs of an account (operator-role.md). The stack's role is made from it, and a test compares what is used. */
import {
  auditing,
  checkingMonth,
  closingMonth,
  listingMeters,
  readingDeadLetters,
  readingMonth,
  readingPepper,
} from "./audit-permissions.ts";
import { countingUsage, examining, readingProviders } from "./doctor-permissions.ts";
import { type AwsPermission, type CommandNeeds, items } from "./operator-permission.ts";

const readingOrganization = items("keys GetItem", "counters GetItem");
const changingOrganization = [...readingOrganization, ...items("keys UpdateItem")];
/** A credit, or the fee of a plan. */
const crediting = items("ledger GetItem PutItem");
/** A line of the audit log. */
const noting = items("accounts PutItem");
const changingPlan: CommandNeeds = {
  uses: [...items("keys GetItem UpdateItem", "ledger GetItem"), ...noting],
  seldom: {
    "a paid period begins at once": items("ledger PutItem UpdateItem"),
    "the organization has a wallet": items("counters GetItem"),
  },
};
const turningOff = { "it is on": items("accounts PutItem UpdateItem") };
/** Rows of an organization's record, with a line of the audit log. */
const changingRows: CommandNeeds = { uses: [...items("keys GetItem UpdateItem"), ...noting] };
const all = (names: string[], needs: CommandNeeds) => Object.fromEntries(names.map((name) => [name, needs]));
const sharding = [...changingOrganization, ...items("counters UpdateItem")];
const freezing: CommandNeeds = { uses: [...sharding, ...noting] };
const showingUser = items("accounts Query", "keys GetItem");
const findingByPhone: AwsPermission[] = [
  ...items("accounts BatchGetItem"),
  "secretsmanager:GetSecretValue accountsSecret",
];
const changingUser: CommandNeeds = {
  uses: [...showingUser, ...items("accounts UpdateItem")],
  seldom: { "a phone is given": findingByPhone },
};
const changingKey = [...items("keys GetItem UpdateItem", "counters UpdateItem"), ...noting];
const changingProject = [...items("keys GetItem Query PutItem UpdateItem"), ...noting];
const endingBudgets = { "there were budgets before": items("counters GetItem UpdateItem") };
const namingMembers = { "a project has members": items("accounts BatchGetItem GetItem") };
const changingInvoice = items("accounts GetItem PutItem UpdateItem");
/** Moving dead letters back to their queue. */
const moving = (name: "usage" | "lesson"): AwsPermission[] => [
  `sqs:ReceiveMessage ${name}DeadLetters`,
  `sqs:DeleteMessage ${name}DeadLetters`,
  `sqs:SendMessage ${name}Queue`,
];
const readingKeys = "secretsmanager:GetSecretValue providers";
/** The channels with their boards, and which of their keys are set. */
const seeingChannels: AwsPermission[] = [...items("accounts Query", "board Query"), readingKeys];
const readingLogs: AwsPermission[] = ["cloudformation:ListStackResources stack", "logs:FilterLogEvents logs"];
/** A secret is changed only from the version that was read (infra/resources/secrets.md). */
const changing = (secret: "pepper" | "providers" | "accountsSecret" | "platforms"): AwsPermission[] => [
  `secretsmanager:GetSecretValue ${secret}`,
  `secretsmanager:PutSecretValue ${secret}`,
  `secretsmanager:UpdateSecretVersionStage ${secret}`,
];

/** Of every command that works on a stage: it finds the stack's parts. */
const finding: readonly AwsPermission[] = ["cloudformation:DescribeStacks stack"];

const local: CommandNeeds = { uses: [], isLocal: true };

/** Every command by its words. A command that is not here fails the test of the manual. */
export const permissions: Readonly<Record<string, CommandNeeds>> = {
  doctor: {
    uses: examining,
    seldom: {
      "the catalog names models at Bedrock": ["bedrock:GetFoundationModelAvailability *"],
      "the stage sends mails": ["ses:GetAccount *", "ses:GetEmailIdentity *"],
    },
  },
  "org create": {
    uses: [
      ...crediting,
      ...items("ledger UpdateItem", "keys PutItem", "counters GetItem PutItem UpdateItem"),
    ],
  },
  "org list": {
    uses: items("keys Scan"),
    seldom: { "organizations have wallets": items("counters GetItem") },
  },
  "org show": {
    uses: [...readingOrganization, ...items("accounts Query")],
    seldom: {
      "it has orders": items("accounts BatchGetItem"),
      "one of them can be paid back": items("ledger GetItem Query"),
    },
  },
  "org credit": { uses: [...readingOrganization, ...crediting, ...items("counters UpdateItem"), ...noting] },
  "org credits": { uses: [...readingOrganization, ...items("ledger Query")] },
  "org budgets": { uses: readingOrganization },
  "org budget": { uses: [...changingOrganization, ...noting], seldom: endingBudgets },
  ...all(["org policies", "org provider-keys"], { uses: items("keys GetItem") }),
  ...all(["org policy", "org remove-provider-key", "org wallet-thresholds"], changingRows),
  "org auto-top-up": { uses: items("keys GetItem", "accounts GetItem"), seldom: turningOff },
  "org webhooks": { uses: [...items("keys GetItem", "accounts GetItem UpdateItem"), ...noting] },
  "org news": { uses: items("keys GetItem", "accounts Query") },
  "org shards": { uses: [...sharding, ...items("ledger UpdateItem")] },
  "org freeze": freezing,
  "org unfreeze": freezing,
  "org grant": { uses: [...changingOrganization, ...noting] },
  "org revoke": { uses: [...changingOrganization, ...noting] },
  "org sign-on": {
    uses: items("accounts GetItem Query PutItem", "keys GetItem UpdateItem"),
    seldom: { "a sign-in is released": [...items("accounts UpdateItem", "keys Query"), ...changingKey] },
  },
  "org provisioning": { uses: items("accounts GetItem UpdateItem PutItem", "keys GetItem") },
  ...all(["org plan", "org renew"], changingPlan),
  "org lapse": { ...changingPlan, uses: [...changingPlan.uses, ...items("accounts UpdateItem")] },
  "user show": { uses: [...showingUser, ...findingByPhone] },
  "user freeze": {
    uses: [...changingUser.uses, ...items("keys Query")],
    seldom: { ...changingUser.seldom, "programs are signed in": changingKey },
  },
  "user unfreeze": changingUser,
  "order list": { uses: items("accounts BatchGetItem Query Scan", "keys GetItem") },
  "order totals": { uses: items("accounts Scan", "keys Scan", "ledger Query") },
  "order show": {
    uses: items("accounts GetItem Query"),
    seldom: {
      "the order can be paid back": items("keys GetItem", "counters GetItem", "ledger GetItem Query"),
    },
  },
  "order review": { uses: items("accounts GetItem Query UpdateItem PutItem") },
  "order refund": {
    uses: items(
      "accounts GetItem Query",
      "keys GetItem",
      "counters GetItem UpdateItem",
      "ledger GetItem PutItem Query",
      "accounts PutItem UpdateItem",
    ),
    seldom: {
      "the order paid for a plan": items("keys UpdateItem", "ledger UpdateItem"),
    },
  },
  "invoice list": {
    uses: items("accounts/index Query", "accounts GetItem Query", "keys GetItem"),
    seldom: { "with --state alone": items("accounts Scan") },
  },
  "invoice show": { uses: items("accounts GetItem") },
  "invoice issue": { uses: changingInvoice },
  "invoice reject": { uses: changingInvoice },
  "invoice void": { uses: changingInvoice },
  "project list": { uses: [...readingOrganization, ...items("keys Query")], seldom: namingMembers },
  "project create": { uses: [...changingProject, ...items("ledger GetItem Query")] },
  "project change": { uses: changingProject, seldom: namingMembers },
  "key create": { uses: [...items("keys GetItem PutItem UpdateItem"), ...noting, readingPepper] },
  "key list": { uses: [...readingOrganization, ...items("keys Query")] },
  "key change": { uses: [...changingKey, ...items("counters GetItem")] },
  "key rotate": { uses: [...changingKey, ...items("keys PutItem"), readingPepper] },
  "key disable": { uses: changingKey },
  "key enable": { uses: changingKey },
  "key revoke": {
    uses: [...items("keys GetItem UpdateItem", "counters UpdateItem"), ...noting],
    seldom: { "the key was revoked before": items("keys Query") },
  },
  "id give": { uses: [...items("keys GetItem"), ...noting, readingPepper] },
  trace: {
    uses: items("counters GetItem", "ledger Query", "tasks GetItem"),
    seldom: {
      "nothing else tells the organization": items("keys Scan"),
      "the call is not booked": [...countingUsage, ...readingDeadLetters],
      "on a stage": readingLogs,
    },
  },
  logs: { uses: [], seldom: { "on a stage": readingLogs } },
  audit: auditing,
  ...all(["ledger export", "forecast", "margin"], {
    uses: items("keys GetItem", "ledger GetItem", "ledger Query"),
    seldom: { "without --org": items("keys Scan") },
  }),
  holds: { uses: [...listingMeters, ...items("counters GetItem")] },
  sweep: {
    uses: [...listingMeters, ...items("counters GetItem", "keys GetItem")],
    seldom: {
      "calls have died": items("counters PutItem UpdateItem", "ledger GetItem PutItem UpdateItem"),
      "a wallet needs more shards, or fewer": items("keys UpdateItem"),
      "executions have died": [
        ...items("tasks GetItem PutItem UpdateItem"),
        "states:StartExecution workflow",
      ],
    },
  },
  seal: {
    uses: items("keys Scan", "ledger GetItem Query UpdateItem"),
    seldom: {
      "plan fees are due": items("keys GetItem UpdateItem", "ledger PutItem"),
    },
  },
  redrive: {
    uses: ["sqs:GetQueueAttributes usageDeadLetters"],
    seldom: {
      "there are dead letters": moving("usage"),
      "with --lessons": ["sqs:GetQueueAttributes lessonDeadLetters", ...moving("lesson")],
    },
  },
  "task list": { uses: [...listingMeters, ...items("keys Scan", "tasks GetItem")] },
  "task resolve": {
    uses: [
      ...listingMeters,
      ...items("counters UpdateItem", "ledger PutItem UpdateItem", "keys Scan", "tasks GetItem UpdateItem"),
    ],
    seldom: { "the task was booked before": items("ledger GetItem") },
  },
  "pepper status": { uses: [...items("keys Scan"), readingPepper] },
  "pepper rotate": { uses: changing("pepper") },
  "pepper drop": {
    uses: [readingPepper],
    seldom: {
      "the rotation is old enough": items("keys Scan"),
      "no living key needs it": changing("pepper"),
    },
    beyond: items("keys DeleteItem"),
  },
  "accounts status": { uses: [...items("accounts Scan"), "secretsmanager:GetSecretValue accountsSecret"] },
  "accounts rotate": { uses: changing("accountsSecret") },
  "accounts drop": {
    uses: ["secretsmanager:GetSecretValue accountsSecret"],
    seldom: {
      "the rotation is old enough": [
        ...items("accounts Scan GetItem PutItem UpdateItem", "accounts/index Query"),
        ...changing("accountsSecret"),
      ],
    },
    beyond: items("accounts DeleteItem"),
  },
  "secret put": { uses: [...changing("providers"), ...changing("platforms")] },
  "secret list": { uses: readingProviders },
  "secret remove": {
    uses: changing("providers"),
    seldom: { "a channel or the sender is named": changing("platforms") },
  },
  "sms raise": { uses: items("accounts UpdateItem") },
  "sms status": { uses: [...items("accounts GetItem"), "secretsmanager:GetSecretValue platforms"] },
  ...all(["catalog check", "catalog import", "catalog sync"], local),
  ...Object.fromEntries(["add", "list", "show", "remove"].map((verb) => [`model ${verb}`, local])),
  "bills import": { uses: items("accounts Query PutItem") },
  "bills list": { uses: items("accounts Query") },
  "bills withdraw": { uses: items("accounts Query PutItem") },
  "bills compare": {
    uses: items("accounts Query", "keys Scan", "ledger GetItem", "ledger Query"),
  },
  "month list": { uses: items("accounts Query") },
  "month show": { uses: items("accounts Query") },
  "month verify": { uses: [...readingMonth, readingPepper] },
  "month export": { uses: readingMonth },
  "month check": checkingMonth,
  "month close": { ...checkingMonth, uses: closingMonth },
  ...all(["channel list", "channel show"], { uses: seeingChannels }),
  "channel leave": { uses: [...seeingChannels, ...items("accounts PutItem", "board UpdateItem")] },
  "channel return": {
    uses: [...items("accounts Query PutItem", "board UpdateItem"), readingKeys],
    seldom: { "the record says that it is in": items("board Query") },
  },
  "token make": { uses: items("accounts PutItem") },
  "token list": { uses: items("accounts Query") },
  "token revoke": { uses: items("accounts GetItem UpdateItem") },
  cost: local,
  "catalog prices": { uses: items("ledger Query"), seldom: { "with --fill": items("ledger Scan PutItem") } },
};

/** Everything that the operator's role must allow, each once. */
export function allPermissions(): AwsPermission[] {
  const asking = Object.values(permissions).filter(({ isLocal }) => !isLocal);
  const allowed = asking.flatMap(({ uses, seldom = {} }) => [uses, ...Object.values(seldom)].flat());
  return [...new Set([...finding, ...allowed])].sort();
}
