/** The console's function behind its own URL (console.md), which alone has the credentials of payment platforms. */
import { Duration, Stack, Validations } from "aws-cdk-lib";
import { Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { FunctionUrlAuthType, InvokeMode } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { variables } from "#shared/base/platform/env.ts";
import type { CodeSource } from "../bundles/code.ts";
import type { Stage } from "../stage/stage.ts";
import { acknowledgeNoDeadLetters, GatewayFunction } from "./gateway-function.ts";
import { useSecret, useTable } from "./grants.ts";
import { placeIn } from "./nag-place.ts";
import { createNewsBus } from "./news-bus.ts";
import { letSeal, type SealingKey } from "./own-keys.ts";
import { LiveFunction } from "./rule-target.ts";
import type { StageSecrets } from "./secrets.ts";
import {
  accounting,
  listing,
  posting,
  registering,
  replaying,
  type StageTables,
  showingRefused,
  watching,
} from "./tables.ts";

interface Parts {
  stage: Stage;
  tables: StageTables;
  secrets: StageSecrets;
  sealing: SealingKey | undefined;
  code: CodeSource;
  /** What browsers call with a key, with a slash at its end. */
  gatewayUrl: string;
}

/** The console where a stage has one. */
export interface ConsoleFront {
  console: GatewayFunction;
  /** When it looks at orders that are due. */
  reconciling: Rule;
  address: string;
  /** The name of the event bus that is told the news, where the stage has one. */
  newsBus: string | undefined;
}

/** How often orders that are due are asked about. */
const reconcileMinutes = 1;

/** Creates the console of the stage; undefined where its settings leave it out. */
export function createConsole(scope: Construct, parts: Parts): ConsoleFront | undefined {
  const { stage, code } = parts;
  if (!stage.console.enabled) return undefined;
  const console = new GatewayFunction(scope, "Console", {
    name: "console",
    stage,
    size: stage.consoleSize,
    concurrency: stage.console.concurrency,
    code,
  });
  letServe(console, parts);
  if (stage.console.sendsByAws) letSend(console);
  if (stage.console.mailFrom !== undefined) letMail(console, stage.console.mailFrom);
  const newsBus = stage.console.newsBus ? createNewsBus(scope, stage.name, console) : undefined;
  tell(console, parts);
  const reconciling = reconcile(scope, console);
  const { url: address } = console.live.addFunctionUrl({
    // People have sessions, and platforms sign what they send. The function checks both itself.
    authType: FunctionUrlAuthType.NONE,
    // Every answer is whole. The address of the connection comes from here, so no proxy may stand in between.
    invokeMode: InvokeMode.BUFFERED,
  });
  return { console, reconciling, address, newsBus };
}

function letServe(console: GatewayFunction, { tables, secrets, sealing }: Parts): void {
  // Operators list organizations, and orders that wait for their decision (shared/edges/admin/README.md "What it may do").
  useTable(console, "accountsTable", tables.accounts, [...accounting, listing]);
  useTable(console, "keysTable", tables.keys, [...registering, listing]);
  // The meters of new organizations are put, and those of others are credited. A repeated order finds the first one.
  useTable(console, "countersTable", tables.counters, [
    { actions: ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:UpdateItem"] },
    { actions: ["dynamodb:PutItem"], partitions: ["M#*"] },
    replaying,
  ]);
  useTable(console, "ledgerTable", tables.ledger, [...posting, { actions: ["dynamodb:Query"] }]);
  useTable(console, "cacheTable", tables.cache, [showingRefused]);
  useTable(console, "boardTable", tables.board, [watching]);
  useTable(console, "tasksTable", tables.tasks, [{ actions: ["dynamodb:GetItem"] }]);
  useSecret(console, "pepperSecret", secrets.pepper);
  useSecret(console, "accountsSecret", secrets.accounts);
  useSecret(console, "platformsSecret", secrets.platforms);
  if (sealing) letSeal(console, sealing);
}

/** What a message can come from. */
const senders = ["phone-number", "pool", "sender-id"];

/** Messages go from any number or sender of the account: which one stands in the secret. */
function letSend(console: GatewayFunction): void {
  const { partition, region, account } = placeIn(Stack.of(console));
  const resources = senders.map((resource) =>
    Stack.of(console).formatArn({ service: "sms-voice", resource, resourceName: "*" }),
  );
  console.addToRolePolicy(new PolicyStatement({ actions: ["sms-voice:SendTextMessage"], resources }));
  for (const sender of senders) {
    Validations.of(console.role ?? console).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:${partition}:sms-voice:${region}:${account}:${sender}/*]`,
      reason: "Which of the account's numbers and senders a message goes from is a setting of the secret.",
    });
  }
}

/** Mails go from this address alone, which SES has verified by itself or by its domain. */
function letMail(console: GatewayFunction, from: string): void {
  const domain = from.slice(from.indexOf("@") + 1);
  const resources = [from, domain].map((resourceName) =>
    Stack.of(console).formatArn({ service: "ses", resource: "identity", resourceName }),
  );
  const conditions = { StringEquals: { "ses:FromAddress": from } };
  console.addToRolePolicy(new PolicyStatement({ actions: ["ses:SendEmail"], resources, conditions }));
  console.addEnvironment(variables.mailFrom, from);
}

/** Tells the function what the stage's file says. */
function tell(console: GatewayFunction, { stage, gatewayUrl }: Parts): void {
  const { registration, countries, smsPerDay, mailsPerDay, fourEyesPoints, notifyBase, tax } = stage.console;
  console.addEnvironment(variables.gatewayUrl, gatewayUrl);
  console.addEnvironment(variables.registration, registration);
  console.addEnvironment(variables.phoneCountries, countries.join(","));
  console.addEnvironment(variables.smsPerDay, String(smsPerDay));
  console.addEnvironment(variables.mailsPerDay, String(mailsPerDay));
  console.addEnvironment(variables.fourEyesPoints, fourEyesPoints);
  if (tax !== undefined) console.addEnvironment(variables.taxRules, JSON.stringify(tax));
  if (notifyBase !== undefined) console.addEnvironment(variables.notifyBase, notifyBase);
}

function reconcile(scope: Construct, console: GatewayFunction): Rule {
  const schedule = new Rule(scope, "ReconcileSchedule", {
    schedule: Schedule.rate(Duration.minutes(reconcileMinutes)),
    targets: [new LiveFunction(console, RuleTargetInput.fromObject({ reconcile: true }))],
  });
  const reason =
    "Its callers see a failure. A run of the schedule does all that is due, so the next one makes up for a lost one; an alarm counts failures.";
  acknowledgeNoDeadLetters(console, reason);
  Validations.of(schedule).acknowledge({ id: "Serverless-EventBusDLQ", reason });
  return schedule;
}
