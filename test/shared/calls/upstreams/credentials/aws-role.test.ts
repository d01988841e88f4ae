/** Requests that a role signs: the process's own, or one that a token service of the test gives it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeEach, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { awsSigned } from "#test/support/aws-signed.ts";
import { roleKeys, testClouds } from "#test/support/clouds.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { completion, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const role_arn = "arn:aws:iam::123456789012:role/models";
const session = {
  AccessKeyId: "ASIASESSION00000001",
  SecretAccessKey: "secret+of/the session=",
  SessionToken: "token/of+the=session".repeat(40),
};
/** What the token service answers. */
let assumed: { status: number; body: string };

const answerOf = (values: Record<string, string>) =>
  `<AssumeRoleResponse><AssumeRoleResult><Credentials>${Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("\n")}</Credentials></AssumeRoleResult></AssumeRoleResponse>`;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const errorOf = (code: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${role_arn}</Message></Error></ErrorResponse>`;

/** The gateway with a provider that takes a role's signature, and perhaps a second one with a key. */
function serveWith(credential: object | undefined, hasNext = false) {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as {
    providers: Record<string, object>;
    models: { channels: object[] }[];
  };
  const protocols = { openai: `${url}/v1` };
  catalog.providers.role = { protocols, auth: "aws_role", ...(credential && { credential }) };
  catalog.models[0]?.channels.splice(
    ...([0, 1] as const),
    { provider: "role", model: "by role/v1:0" },
    ...(hasNext ? [{ provider: "test", model: "by-key", priority: 2 }] : []),
  );
  scenario.memory = createMemory(catalog);
  scenario.key = scenario.memory.addKey();
  scenario.memory.deps.clouds = testClouds({ sts: `${url}/sts` });
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
}

const modelAsked = (body: Buffer) => (JSON.parse(body.toString()) as { model: string }).model;
const toProvider = () => scenario.upstream.requests.filter(({ path }) => path.startsWith("/v1/"));
const toTokens = () => scenario.upstream.requests.filter(({ path }) => path.startsWith("/sts"));

beforeEach(() => {
  assumed = { status: 200, body: answerOf({ ...session, Expiration: inAnHour() }) };
  scenario.upstream.on((request: IncomingMessage, response: ServerResponse) => {
    const isToken = request.url?.startsWith("/sts");
    response.writeHead(isToken ? assumed.status : 200, {
      "content-type": isToken ? "text/xml" : "application/json",
    });
    response.end(isToken ? assumed.body : JSON.stringify(completion));
  });
});

/** The signature that AWS's own signer would have made of a request that arrived. */
async function expected(
  scope: { service: string; region: string },
  { method, path, headers, body }: (typeof scenario.upstream.requests)[number],
  keys: { accessKeyId: string; secretAccessKey: string; sessionToken: string },
) {
  const date = String(headers["x-amz-date"]);
  const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"));
  const given = { "content-type": String(headers["content-type"]) };
  const request = { method, url: `http://${headers.host}${path}`, headers: given, body };
  return await awsSigned(scope, request, keys, at);
}

test("a provider without a secret is called by the role of the process", async () => {
  serveWith(undefined);
  expect((await scenario.chat()).status).toBe(200);
  const [asked] = toProvider();
  if (!asked) throw new Error("nobody was asked");
  expect(modelAsked(asked.body)).toBe("by role/v1:0");
  expect(asked.headers).toMatchObject(
    await expected({ service: "bedrock", region: "us-east-1" }, asked, roleKeys),
  );
  expect(toTokens()).toEqual([]);
});

test("what AWS's clients have put on our credentials is no secret, and breaks no refusal", async () => {
  serveWith(undefined);
  const credentials = () => ({ ...roleKeys, $source: { CREDENTIALS_CODE: "e" } });
  scenario.memory.deps.clouds = testClouds({ aws: { region: "us-east-1", credentials } });
  scenario.upstream.on((_, response) => {
    response.writeHead(400).end(JSON.stringify({ error: { message: "no such field" } }));
  });
  const { status, text } = await scenario.chat();
  expect([status, text.includes("no such field")]).toEqual([400, true]);
});

test("a role is assumed once for all calls, with its external id, and signs in the region that is named", async () => {
  serveWith({ role_arn, external_id: "ours:1", region: "eu-west-1" });
  const answers = await Promise.all([scenario.chat(), scenario.chat(), scenario.chat()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const [asking, ...others] = toTokens();
  if (!asking) throw new Error("nobody was asked");
  expect(others).toEqual([]);
  expect(Object.fromEntries(new URLSearchParams(asking.body.toString()))).toEqual({
    ...{ Action: "AssumeRole", Version: "2011-06-15", RoleSessionName: "model-gateway" },
    ...{ RoleArn: role_arn, ExternalId: "ours:1" },
  });
  expect(asking.headers).toMatchObject(
    await expected({ service: "sts", region: "eu-west-1" }, asking, roleKeys),
  );
  const keys = {
    accessKeyId: session.AccessKeyId,
    secretAccessKey: session.SecretAccessKey,
    sessionToken: session.SessionToken,
  };
  for (const asked of toProvider())
    expect(asked.headers).toMatchObject(
      await expected({ service: "bedrock", region: "eu-west-1" }, asked, keys),
    );
});

test("a role whose sessions are tagged is assumed once for each organization", async () => {
  serveWith({ role_arn, session_tags: "organization" });
  const keys = ["org_first", "org_second"].map((id) => scenario.memory.addKey({}, { id }));
  for (const key of [...keys, ...keys]) {
    scenario.key = key;
    expect((await scenario.chat()).status).toBe(200);
  }
  const tags = toTokens().map(({ body }) => Object.fromEntries(new URLSearchParams(body.toString())));
  expect(tags.map((each) => [each["Tags.member.1.Key"], each["Tags.member.1.Value"]])).toEqual(
    ["org_first", "org_second"].map((id) => ["organization", id]),
  );
});

test("as many sessions are kept as may be, and the one that was used last longest ago goes", async () => {
  const clouds = testClouds();
  const of = (organization: string) => clouds.authorizer("aws_role", { role_arn, organization }, undefined);
  const [first, second] = [of("org_first"), of("org_second")];
  for (let count = 2; count < limits.cloudCredentialsMax; count++) of(`org_${count}`);
  expect(of("org_first")).toBe(first);
  of("org_more");
  expect(of("org_first")).toBe(first);
  expect(of("org_second")).not.toBe(second);
  await Promise.all([first, second]);
});

test.each([
  ["is refused", () => ({ status: 403, body: errorOf("AccessDenied") }), "key"],
  ["is throttled", () => ({ status: 400, body: errorOf("Throttling") }), undefined],
  ["finds the service down", () => ({ status: 503, body: "down" }), undefined],
  ["gets half of an answer", () => ({ status: 200, body: answerOf(session) }), undefined],
])("a role that %s is its channel's fault, and the next channel serves", async (_, answer, reason) => {
  assumed = answer();
  serveWith({ role_arn }, true);
  const reply = await scenario.chat();
  expect([reply.status, reply.headers["x-gateway-attempts"]]).toEqual([200, "2"]);
  expect(toProvider().map(({ body }) => modelAsked(body))).toEqual(["by-key"]);
  const { logs } = scenario.memory;
  expect(logs.find(({ event }) => event === "upstream_failed")?.fields).toMatchObject({
    provider: "role",
    credential: "aws_role",
  });
  const alarm = logs.find(({ event }) => event === "provider_account_refused");
  expect(alarm?.fields.reason).toBe(reason);
  expect(JSON.stringify(logs)).not.toContain(session.SecretAccessKey);
});

test("a role without credentials, and no other channel, is 50001", async () => {
  serveWith({ role_arn });
  scenario.memory.deps.clouds = testClouds({
    aws: { region: "us-east-1", credentials: () => Promise.reject(new Error("the container's credentials")) },
  });
  const reply = await scenario.chat();
  expect([reply.status, reply.json()]).toMatchObject([500, { error: { code: "50001" } }]);
  expect(scenario.upstream.requests).toEqual([]);
});

test("a provider that quotes what signs it is not repeated", async () => {
  serveWith({ role_arn });
  const quoting = `bad: ${session.SessionToken} ${session.AccessKeyId} ${session.SecretAccessKey} ${role_arn} x`;
  scenario.upstream.on((request: IncomingMessage, response: ServerResponse) => {
    const isToken = request.url?.startsWith("/sts");
    response.writeHead(isToken ? 200 : 400, { "content-type": isToken ? "text/xml" : "application/json" });
    response.end(isToken ? assumed.body : JSON.stringify({ message: quoting, code: session.AccessKeyId }));
  });
  const reply = await scenario.chat();
  expect(reply.status).toBe(400);
  const told = reply.text + JSON.stringify(scenario.memory.logs);
  expect(reply.json()).toMatchObject({ error: { message: expect.stringMatching(/^bad: .*\[redacted\]/) } });
  for (const secret of [...Object.values(session), role_arn, "123456789012"])
    expect(told).not.toContain(secret.slice(0, 12));
});
