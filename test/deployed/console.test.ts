/** The console in the template: its URL, its schedule, its settings, and what a stage without it has. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joinedLines, ownLines } from "#infra/monitoring/alarm-lines.ts";
import { outputs } from "#infra/stage/outputs.ts";
import { variables } from "#shared/base/platform/env.ts";
import {
  accountPrefixes,
  adminTokenKey,
  auditKey,
  billHeadKey,
  channelRecordKey,
  closedMonthKey,
  codeKey,
  contactKey,
  deliveryKey,
  deviceKey,
  domainKey,
  eventsPlaceKey,
  invitationTokenKey,
  linkedPersonKey,
  orderKey,
  organizationAccountKey,
  proposalKey,
  seriesKey,
  userKey,
  velocityKey,
} from "#shared/edges/store/dynamodb/account-keys.ts";
import { posting, running } from "#test/support/grant-lines.ts";
import { Synthesized, text, unbundled } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "console-test-"));
let set: Synthesized;
let standard: Synthesized;
let without: Synthesized;

beforeAll(() => {
  set = new Synthesized("prod", scratch, undefined, unbundled, {
    console: {
      registration: "closed",
      countries: ["+86", "+852"],
      smsPerDay: 50,
      fourEyesPoints: "250.5",
      sendsByAws: true,
      mailFrom: "codes@example.com",
      notifyBase: "https://pay.example.com",
      newsBus: true,
      tax: { CNY: { name: "VAT", rate: "6" } },
      concurrency: 20,
    },
    domain: { name: "api.example.com", certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/a" },
  });
  standard = new Synthesized("prod", scratch, undefined, unbundled);
  without = new Synthesized("dev", scratch, undefined, unbundled, { console: { enabled: false } });
});

afterAll(() => rmSync(scratch, { recursive: true }));

test("it answers whole at a URL of its own, open to everyone", () => {
  const { Properties } = set.one("AWS::Lambda::Url", "ConsoleAliasliveFunctionUrl");
  expect(Properties).toMatchObject({ InvokeMode: "BUFFERED", AuthType: "NONE", Qualifier: "live" });
  // Browsers of another origin may read nothing.
  expect(Properties).not.toHaveProperty("Cors");
  expect(set.outputs[outputs.consoleUrl]).toBe("ConsoleAliasliveFunctionUrl");
});

test("CloudFront is not in front of it, because it trusts the address of the connection", () => {
  const [[, distribution] = []] = set.all("AWS::CloudFront::Distribution");
  const origins = distribution?.Properties.DistributionConfig.Origins as { DomainName: unknown }[];
  expect(origins.map(({ DomainName }) => text(DomainName))).toEqual(["GatewayAliasliveFunctionUrl"]);
});

test("each minute it looks at the orders that are due", () => {
  const { Properties } = set.one("AWS::Events::Rule", "ReconcileSchedule");
  expect(Properties).toMatchObject({ ScheduleExpression: "rate(1 minute)", State: "ENABLED" });
  const [target] = Properties.Targets;
  expect([text(target.Arn), target.Input]).toEqual(["ConsoleAliaslive", '{"reconcile":true}']);
});

test("its function is told what the stage's file says, and has its own share of the concurrency", () => {
  expect(set.environment("Console")).toMatchObject({
    // Browsers call the domain, as clients do.
    [variables.gatewayUrl]: "https://api.example.com/",
    [variables.registration]: "closed",
    [variables.phoneCountries]: "+86,+852",
    [variables.smsPerDay]: "50",
    [variables.fourEyesPoints]: "250.5",
    [variables.mailFrom]: "codes@example.com",
    [variables.mailsPerDay]: "10000",
    [variables.notifyBase]: "https://pay.example.com",
    [variables.taxRules]: '{"CNY":{"name":"VAT","rate":"6"}}',
  });
  const { ReservedConcurrentExecutions } = set.one("AWS::Lambda::Function", "Console").Properties;
  expect(ReservedConcurrentExecutions).toBe(20);
});

test("it may change accounts, money by the rules of the ledger, and alone knows what platforms are paid with", () => {
  const changed = "U#*,P#*,O#*,C#*,D#*,Q#*,N#*,R#*,I#*,W#*,E#*,H#*,X#*,B#*";
  expect(standard.grants("ConsoleRole")).toEqual(
    [
      ...running("Console"),
      "dynamodb:GetItem CacheTable F#*",
      "dynamodb:Query CacheTable F#*",
      "dynamodb:Query BoardTable H#*",
      ...posting,
      "dynamodb:Query LedgerTable",
      "dynamodb:BatchGetItem AccountsTable",
      "dynamodb:ConditionCheckItem AccountsTable",
      "dynamodb:GetItem AccountsTable",
      "dynamodb:Query AccountsTable",
      "dynamodb:Query AccountsTable/index/due",
      "dynamodb:Scan AccountsTable",
      "dynamodb:Scan KeysTable",
      `dynamodb:PutItem AccountsTable ${changed}`,
      `dynamodb:UpdateItem AccountsTable ${changed}`,
      "dynamodb:PutItem AccountsTable G#*",
      "dynamodb:BatchGetItem KeysTable",
      "dynamodb:ConditionCheckItem KeysTable",
      "dynamodb:GetItem KeysTable",
      "dynamodb:PutItem KeysTable",
      "dynamodb:Query KeysTable",
      "dynamodb:UpdateItem KeysTable",
      "dynamodb:BatchGetItem CountersTable",
      "dynamodb:GetItem CountersTable",
      "dynamodb:PutItem CountersTable M#*",
      "dynamodb:PutItem CountersTable Y#*",
      "dynamodb:UpdateItem CountersTable",
      "dynamodb:GetItem TasksTable",
      "secretsmanager:GetSecretValue Accounts",
      "secretsmanager:GetSecretValue Pepper",
      "secretsmanager:GetSecretValue Platforms",
      // It seals organizations' own provider keys, and cannot open them.
      "kms:GenerateDataKey OwnKeys",
    ].sort(),
  );
  expect(standard.environment("Console")).toEqual({
    [variables.keysTable]: "KeysTable",
    [variables.countersTable]: "CountersTable",
    [variables.ledgerTable]: "LedgerTable",
    [variables.tasksTable]: "TasksTable",
    [variables.cacheTable]: "CacheTable",
    [variables.boardTable]: "BoardTable",
    [variables.accountsTable]: "AccountsTable",
    [variables.pepperSecret]: "Pepper",
    [variables.accountsSecret]: "Accounts",
    [variables.platformsSecret]: "Platforms",
    [variables.ownKeysKey]: "OwnKeys",
    [variables.gatewayUrl]: "GatewayAliasliveFunctionUrl",
    [variables.registration]: "open",
    [variables.phoneCountries]: "+86",
    [variables.smsPerDay]: "1000",
    [variables.mailsPerDay]: "10000",
    [variables.fourEyesPoints]: "1000",
  });
  const readers = standard
    .all("AWS::IAM::Role")
    .map(([name]) => name)
    .filter((role) => standard.grants(role).some((line) => line.endsWith(" Platforms")));
  expect(readers.sort()).toEqual(["ConsoleRole", "OperatorRole"]);
});

test("its puts and updates are bound to the partitions that the store writes to", () => {
  const { user, contact, organization, code, device } = accountPrefixes;
  const {
    velocity,
    invitation,
    order,
    series,
    audit,
    deliveries,
    events,
    domain,
    linked,
    channels,
    bills,
    closes,
  } = accountPrefixes;
  const { adminTokens, proposals } = accountPrefixes;
  const ofAccounts = [
    ...[
      [user, userKey("usr")],
      [contact, contactKey("hash")],
      [organization, organizationAccountKey("org")],
    ],
    ...[
      [code, codeKey("hash")],
      [device, deviceKey("BCDFGHJK")],
      [velocity, velocityKey("ip", "1")],
      [invitation, invitationTokenKey("hash")],
    ],
    ...[
      [order, orderKey("ord")],
      [series, seriesKey("2026")],
      [audit, auditKey("org", "1")],
      [deliveries, deliveryKey("org", "whk", "aud")],
      [events, eventsPlaceKey()],
      [domain, domainKey("example.com")],
      [linked, linkedPersonKey("hash")],
      [proposals, proposalKey("prp")],
      // Operators alone write there.
      [channels, channelRecordKey("k3x9q0")],
      [bills, billHeadKey("acme", "bill_1")],
      [closes, closedMonthKey("2026-11")],
      [adminTokens, adminTokenKey("adt")],
    ],
  ] as const;
  expect(ofAccounts.map(([prefix]) => prefix)).toHaveLength(Object.keys(accountPrefixes).length);
  for (const [prefix, key] of ofAccounts) expect(key.pk).toEqual({ S: expect.stringMatching(`^${prefix}`) });
});

test("it sends messages by AWS where the stage's file says so, from senders of this account alone", () => {
  const sending = (stack: Synthesized) =>
    stack.grants("ConsoleRole").filter((line) => line.startsWith("sms-voice:"));
  expect(sending(standard)).toEqual([]);
  expect(sending(set)).toEqual(
    ["phone-number", "pool", "sender-id"].map(
      (kind) => `sms-voice:SendTextMessage arn:AWS::Partition:sms-voice:AWS::Region:AWS::AccountId:${kind}/*`,
    ),
  );
});

test("it sends mails where the stage's file says from which address, and from no other", () => {
  const sending = (stack: Synthesized) =>
    stack.grants("ConsoleRole").filter((line) => line.startsWith("ses:"));
  expect(sending(standard)).toEqual([]);
  expect(sending(set)).toEqual(
    ["codes@example.com", "example.com"].map(
      (name) =>
        `ses:SendEmail arn:AWS::Partition:ses:AWS::Region:AWS::AccountId:identity/${name} from codes@example.com`,
    ),
  );
});

test("it may put events on the bus that the stage's file asks for, and nobody else may", () => {
  expect(standard.all("AWS::Events::EventBus")).toEqual([]);
  expect(standard.outputs).not.toHaveProperty(outputs.newsBus);
  const [[bus, { Properties } = { Properties: {} }] = [""]] = set.all("AWS::Events::EventBus");
  expect(Properties).toMatchObject({ Name: "prod-news" });
  expect(set.outputs[outputs.newsBus]).toBe(bus);
  expect(set.environment("Console")[variables.newsBus]).toBe(bus);
  const putting = (stack: Synthesized) =>
    stack
      .all("AWS::IAM::Role")
      .flatMap(([role]) => stack.grants(role).map((line) => `${role}: ${line}`))
      .filter((line) => line.includes("events:Put"));
  expect(putting(set)).toEqual([`ConsoleRole: events:PutEvents ${bus}`]);
  expect(putting(standard)).toEqual([]);
});

describe("a stage whose file leaves it out", () => {
  test("has neither its function nor its URL, its schedule, its alarms or its charts", () => {
    const parts = Object.keys(without.resources).filter((id) => /^(Console|Reconcile)/.test(id));
    expect(parts).toEqual([]);
    expect(without.outputs).not.toHaveProperty(outputs.consoleUrl);
    const alarms = without.all("AWS::CloudWatch::Alarm");
    const ids = [...joinedLines, ...ownLines].flatMap(({ id, writer }) => (writer === "console" ? [id] : []));
    expect(ids.length).toBeGreaterThan(5);
    const told = alarms.map(([name, { Properties }]) => `${name} ${Properties.AlarmDescription}`);
    expect(ids.filter((id) => told.some((text) => new RegExp(`\\b(Alarms)?${id}\\b`).test(text)))).toEqual(
      [],
    );
    expect(alarms.filter(([name]) => /^Alarms(Console|Reconcile)/.test(name))).toEqual([]);
    const [[, dashboard] = []] = without.all("AWS::CloudWatch::Dashboard");
    expect(JSON.stringify(dashboard?.Properties)).not.toContain("## Console");
  });

  test("keeps the table and the secrets, so that it can have it again", () => {
    expect(without.outputs[outputs.accountsTable]).toBe("AccountsTable");
    expect([outputs.accountsSecret, outputs.platformsSecret].map((name) => without.outputs[name])).toEqual([
      ...["Accounts", "Platforms"],
    ]);
    const readers = without
      .all("AWS::IAM::Role")
      .map(([name]) => name)
      .filter((role) => without.grants(role).some((line) => line.endsWith(" Platforms")));
    expect(readers).toEqual(["OperatorRole"]);
  });
});
