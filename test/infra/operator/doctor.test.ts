/** What `operator doctor` says of a stage: nothing where all is well, and the right thing where one thing is not. */
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { listen } from "#infra/local/emulators/listen.ts";
import { openAccount } from "#infra/operator/account/clients.ts";
import { naming, runChecks } from "#infra/operator/doctor/check.ts";
import { clockCheck, identityCheck, toolsCheck } from "#infra/operator/doctor/machine.ts";
import { reportOf } from "#infra/operator/doctor/report.ts";
import { partsOf } from "#infra/resources/operator-permission.ts";
import { permissions } from "#infra/resources/operator-permissions.ts";
import { faults, healthSays, oneLineRings } from "#test/infra/operator/account-faults.ts";
import { denied, examined } from "#test/support/account.ts";

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
