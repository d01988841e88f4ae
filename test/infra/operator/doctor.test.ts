/** What `operator doctor` says of a stage: nothing where all is well, and the right thing where one thing is not. */
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { listen } from "#infra/local/emulators/listen.ts";
import { openAccount } from "#infra/operator/account/clients.ts";
import { naming, runChecks } from "#infra/operator/doctor/check.ts";
import { clockCheck, identityCheck, toolsCheck } from "#infra/operator/doctor/machine.ts";
import { reportOf } from "#infra/operator/doctor/report.ts";
import { partsOf } from "#infra/resources/operator-permission.ts";
import { permissions } from "#infra/resources/operator-permissions.ts";
import { faults, healthSays, oneLineRings } from "#test/infra/operator/account-faults.ts";
import { denied, examined, missing } from "#test/support/account.ts";

const quiet = { count() {}, state() {} };

test("of a stage that is as it should be everything is ok", async () => {
  const { checks } = await examined();
  expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
  expect(checks.map(({ check }) => check)).toMatchInlineSnapshot(`
    [
      "identity",
      "clock",
      "stack",
      "protection",
      "concurrency",
      "gateway",
      "gateway version",
      "gateway catalog",
      "client addresses",
      "agents' tools",
      "prices",
      "console",
      "platforms",
      "rates",
      "plans",
      "pepper",
      "accounts secret",
      "provider keys",
      "providers",
      "channels",
      "tables",
      "usage queue",
      "lesson queue",
      "queue mappings",
      "schedules",
      "last sweep",
      "last seal",
      "last reconciliation",
      "video workflow",
      "alarm mail",
      "alarms",
    ]
  `);
});

test.each(faults)("%s: %s, %s", async (name, status, seen, changes) => {
  const { of, checks } = await examined(changes);
  expect(of(name)).toMatchObject({ check: name, status, seen: expect.stringContaining(seen) });
  if (status !== "ok") expect(of(name)?.action).toBeTruthy();
  expect(JSON.stringify(checks)).not.toContain("sk-secret");
});

test("it asks exactly what the operator's role allows it", async () => {
  const actions = permissions.doctor?.uses.map((each) => partsOf(each).action) ?? [];
  const { used } = await examined(oneLineRings);
  const toAll = ["cloudformation:DescribeStacks", "sts:GetCallerIdentity"];
  expect(used.filter((action) => !toAll.includes(action))).toEqual([...new Set(actions)].sort());
});

describe("mails", () => {
  const from = { mailFrom: "codes@example.com" };
  const says = async (answers: NonNullable<Parameters<typeof examined>[0]>["answers"] = {}) =>
    (await examined({ ...from, answers })).of("mails");

  test("of a stage that sends none are not looked at", async () => {
    expect((await examined()).of("mails")).toBeUndefined();
  });

  test("are sent where the domain is verified, and the account is out of the sandbox", async () => {
    expect(await says()).toMatchObject({ status: "ok", seen: expect.stringContaining("50000 mails a day") });
    expect((await examined(from)).used).toEqual(
      expect.arrayContaining(["ses:GetAccount", "ses:GetEmailIdentity"]),
    );
  });

  test("are sent where the address alone is verified, and the domain is unknown", async () => {
    const found = await says({
      "ses:GetEmailIdentity": ({ EmailIdentity = "" }) =>
        EmailIdentity.includes("@") ? { VerifiedForSendingStatus: true } : missing(),
    });
    expect(found?.status).toBe("ok");
  });

  test.each<[string, string, string, NonNullable<Parameters<typeof examined>[0]>["answers"]]>([
    ["nothing is known of the sender", "fail", "neither", { "ses:GetEmailIdentity": missing }],
    [
      "the sender waits to be verified",
      "fail",
      "neither",
      { "ses:GetEmailIdentity": () => ({ VerifiedForSendingStatus: false }) },
    ],
    ["the account is paused", "fail", "paused", { "ses:GetAccount": () => ({ SendingEnabled: false }) }],
    [
      "the account is in the sandbox",
      "warn",
      "at most 200 a day",
      { "ses:GetAccount": () => ({ SendingEnabled: true, SendQuota: { Max24HourSend: 200 } }) },
    ],
    ["these credentials may not ask", "unknown", "ses:GetAccount", { "ses:GetAccount": denied }],
  ])("%s: %s, %s", async (_, status, seen, answers) => {
    const found = await says(answers);
    expect(found).toMatchObject({ status, seen: expect.stringContaining(seen) });
    expect(found?.action).toBeTruthy();
  });
});

test.each<[string, Record<string, string>, string]>([
  ["a function URL", { GatewayUrl: "https://f.example" }, "through https://f.example the caller's own"],
  [
    "a service",
    { ServiceUrl: "https://s.example" },
    "through https://s.example the caller's own, as its balancer",
  ],
  ["a Web Function", { WebGatewayUrl: "https://w.example" }, "through https://w.example Lambda's own"],
  [
    "a domain before a function URL",
    { GatewayUrl: "https://f.example", DomainUrl: "https://d.example" },
    "through https://f.example the caller's own; through https://d.example CloudFront's",
  ],
])("of %s it says whose address the rules about addresses see", async (_, urls, seen) => {
  const Outputs = Object.entries(urls).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  const stack = {
    StackName: "s",
    CreationTime: new Date(0),
    StackStatus: "UPDATE_COMPLETE" as const,
    Outputs,
  };
  const { of } = await examined({
    answers: { "cloudformation:DescribeStacks": () => ({ Stacks: [stack] }) },
  });
  expect(of("client addresses")?.seen).toContain(seen);
});

test("without a stack it says who asks, the clock, and what to do", async () => {
  const absent = () => {
    throw Object.assign(new Error("Stack with id model-gateway-prod does not exist"), {
      name: "ValidationError",
    });
  };
  const { checks } = await examined({ answers: { "cloudformation:DescribeStacks": absent } });
  expect(checks.map(({ check, status }) => [check, status])).toEqual([
    ["identity", "ok"],
    ["clock", "ok"],
    ["stack", "fail"],
  ]);
  expect(checks[2]?.action).toContain("npm run deploy -- -c stage=prod");
});

test("without any permission every check says which one it needs", async () => {
  const nobody = Object.fromEntries((await examined()).used.map((action) => [action, denied]));
  const { checks, of } = await examined({ answers: nobody });
  expect(of("identity")?.seen).toBe("these credentials may not use sts:GetCallerIdentity");
  expect(checks.map(({ check, status }) => [check, status])).toEqual([
    ["identity", "unknown"],
    ["clock", "ok"],
    ["stack", "unknown"],
  ]);
});

test("without credentials it says how to sign in", async () => {
  const lost = () => {
    throw Object.assign(new Error("Could not load credentials from any providers"), {
      name: "CredentialsProviderError",
    });
  };
  const { of } = await examined({ answers: { "sts:GetCallerIdentity": lost } });
  expect(of("identity")).toMatchObject({
    status: "unknown",
    action: expect.stringContaining("aws sso login"),
  });
});

test("a check that hangs is unknown after its time, and holds up no other", async () => {
  const hangs = { name: "slow", run: () => new Promise<never>(() => {}) };
  const quick = { name: "quick", run: () => ({ status: "ok" as const, seen: "here" }) };
  const found = await runChecks([hangs, quick], quiet, 1);
  expect(found.map(({ check, status }) => [check, status])).toEqual([
    ["slow", "unknown"],
    ["quick", "ok"],
  ]);
});

test("a tool of another version than this repository asks for is named", async () => {
  const found = await runChecks(
    [
      toolsCheck({ node: "24.1.0", cdk: { installed: "2.0.0", asked: "2.0.1" } }),
      toolsCheck({ node: "20.1.0", cdk: { installed: "2.0.1", asked: "2.0.1" } }),
    ],
    quiet,
  );
  expect(found.map(({ status }) => status)).toEqual(["warn", "fail"]);
});

test("the report has a line for each check, what to do below it, and the sum at its end", async () => {
  const { checks } = await examined(healthSays({ version: "0.9.0" }));
  const text = reportOf(checks, (_, each) => each);
  expect(text).toContain("warn     gateway version      it runs 0.9.0, and 1.0.0 is here\n");
  expect(text).toMatch(/\n {30}→ deploy this folder/);
  expect(text).toMatch(/\n\d+ checks: \d+ ok, 1 warning$/);
});

test("the clock is compared with the answer of AWS, also with one that refuses", async () => {
  const server = createServer((_, response) => {
    response.writeHead(403, {
      date: new Date(Date.now() - 3_600_000).toUTCString(),
      "content-type": "text/xml",
    });
    response.end(
      "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>",
    );
  });
  const { url, stop } = await listen(server, 0);
  process.env.AWS_ENDPOINT_URL_STS = url;
  const dated = Promise.withResolvers<{ said: number; at: number }>();
  const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
  const ask = openAccount({ region: "eu-central-1", credentials, maxAttempts: 1 }, (date, at) =>
    dated.resolve({ said: Date.parse(date), at }),
  );
  const found = await runChecks(
    [identityCheck(naming(ask), "eu-central-1"), clockCheck(dated.promise)],
    quiet,
  );
  delete process.env.AWS_ENDPOINT_URL_STS;
  await stop();
  expect(found.map(({ status }) => status)).toEqual(["unknown", "fail"]);
  expect(found[0]?.seen).toContain("sts:GetCallerIdentity");
  expect(found[1]?.seen).toMatch(/^this machine is 360\d s ahead of AWS$/);
});
