/**
 * Clouds that repeat our credential in every place of an answer. No client and no log line is told it, as it is or in
 * another writing.
 */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { testClouds } from "#test/support/clouds.ts";
import { least, pathOf, type Speech, speeches } from "#test/support/crossed.ts";
import { eventOf, exceptionOf, messageOf } from "#test/support/event-stream.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { frame, useScenario } from "#test/support/scenario.ts";
import { startTokenServices, type TokenServices } from "#test/support/token-services.ts";

const scenario = useScenario();
let services: TokenServices;
beforeAll(async () => (services = await startTokenServices()));
afterAll(() => services.stop());

const keys = {
  accessKeyId: "ASIAQ3EGRZ7HVOWN41XC",
  secretAccessKey: "wJk9Xv/q7LmPz+4RtYb2NcHs8Gd1Fa6Ue0QxKoiT",
  sessionToken: "IQoJb3JpZ2luX2VjEJr/7mZxKq+Wv3uT9yHs=bLn5cDf8gRa2Pe0XoYiQ",
};
const assumed = {
  AccessKeyId: "ASIAV6TWBN2KQSESS09P",
  SecretAccessKey: "Zr5Tn/uB8wKq+3MxJy7LsVd2Hc9Ga1Fe6PoQ0iXt",
  SessionToken: "FwoGZXIvYXdzEM7/qXw9Lk+Tz4vR2mNb=yHs6cJf3gDa8Pe1UoViK",
};
const token = "ya29.c0AfB7qXw-Lk9Tz4vR2mNb_yHs6cJf3gDa8Pe1UoViKrW5ZtQ";
const key = "Bq7Xw9Lk4Tz2vRmNbyHs6cJf3gDa8Pe1UoViKrW5ZtQxE0MnYp";
const pool = () =>
  JSON.stringify({
    type: "external_account",
    audience: "//iam.googleapis.com/pool",
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    token_url: `${services.url}/google`,
  });
const app = () =>
  JSON.stringify({
    ...{ tenantId: "tenant", clientId: "client", clientSecret: key },
    activeDirectoryEndpointUrl: services.url,
  });

interface Kind {
  provider: object;
  /** What the provider is shown, or what signs. */
  shows: readonly string[];
  /** What the provider's secret holds. */
  secret?: () => string;
  isBinary?: true;
}

const role_arn = "arn:aws:iam::123456789012:role/models";
const own = Object.values(keys);
const kinds: Record<string, Kind> = {
  "InvokeModel by the role": { shows: own, provider: { host: "bedrock", auth: "aws_role" }, isBinary: true },
  "InvokeModel by a role to assume": {
    shows: Object.values(assumed),
    provider: { host: "bedrock", auth: "aws_role", credential: { role_arn } },
    isBinary: true,
  },
  "InvokeModel by a key": {
    shows: [key],
    provider: { host: "bedrock", auth: "bearer" },
    secret: () => key,
    isBinary: true,
  },
  "Converse by the role": { shows: own, provider: { host: "bedrock", auth: "aws_role" }, isBinary: true },
  "Gemini on Vertex AI": { shows: [token], provider: { host: "vertex", auth: "google" }, secret: pool },
  "Claude on Vertex AI": { shows: [token], provider: { host: "vertex", auth: "google" }, secret: pool },
  "Azure by a key": { shows: [key], provider: { host: "azure", auth: "azure" }, secret: () => key },
  "Azure by a token": { shows: [token], provider: { host: "azure", auth: "azure" }, secret: app },
};
const protocolOf = (kind: string) =>
  Object.entries({ Converse: "converse", Gemini: "gemini", Azure: "openai" }).find(([name]) =>
    kind.startsWith(name),
  )?.[1] ?? "anthropic";

function serve(kind: string, { provider, secret }: Kind): void {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as { providers: Record<string, object>; models: { channels: object[] }[] };
  const named = secret && { secret: "CLOUD_SECRET" };
  catalog.providers.cloud = { protocols: { [protocolOf(kind)]: url }, ...provider, ...named };
  catalog.models[0]?.channels.splice(0, 1, { provider: "cloud", model: "model" });
  scenario.memory = createMemory(catalog);
  scenario.key = scenario.memory.addKey();
  const { deps } = scenario.memory;
  const credentials = () => keys;
  deps.secrets = { ...deps.secrets, provider: async () => secret?.() ?? "", lacks: () => false };
  deps.clouds = testClouds({ aws: { region: "us-east-1", credentials }, sts: `${services.url}/aws` });
  scenario.serve = createPipeline({} as never, deps);
}

beforeEach(() => {
  const Expiration = new Date(Date.now() + 3_600_000).toISOString();
  const session = Object.entries({ ...assumed, Expiration }).map(
    ([name, value]) => `<${name}>${value}</${name}>`,
  );
  const lent = { access_token: token, expires_in: 3600 };
  services.answers({ "/aws/": session.join(""), "/google": lent, "/tenant/oauth2/v2.0/token": lent });
});

/** What a request brought that shows who calls, as its headers have it. */
function shown(): string[] {
  const headers = scenario.upstream.requests.at(-1)?.headers ?? {};
  const names = ["authorization", "x-amz-security-token", "api-key", "x-goog-api-key", "x-api-key"];
  return names.flatMap((name) => (headers[name] === undefined ? [] : [String(headers[name])]));
}

/** Everything of the last request's that nobody may be told. */
function secretsOf({ shows }: Kind): string[] {
  return [...shows, ...shown().flatMap((text) => /Signature=([\da-f]{64})/.exec(text)?.[1] ?? [])];
}

const writings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  capital: (text) => text.toUpperCase(),
  hex: (text) => Buffer.from(text).toString("hex"),
  base64: (text) => Buffer.from(`:${text}`).toString("base64"),
  percent: (text) => text.replace(/[^\w]|[aeiou\d]/gi, (c) => `%${c.charCodeAt(0).toString(16)}`),
};
const quotation = (kind: Kind, writing: string) =>
  [...shown(), ...secretsOf(kind)].map(writings[writing] ?? String).join(" ");

const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** Headers that vendors tell something of a request in. */
const toldIn = [
  ...["x-amzn-errortype", "x-request-id", "request-id", "x-amzn-requestid"],
  ...["set-cookie", "www-authenticate", "retry-after"],
];

/** The clients in turn. */
const clientAt = (at: number): Speech => speeches[at % speeches.length] ?? "openai";

/** An error with the quotation in each of its members, in the forms of all vendors at once. */
const errorOf = (said: string) => ({
  ...{
    type: "error",
    message: `Unsupported: ${said}`,
    Message: said,
    code: said,
    __type: said,
    detail: said,
  },
  error: { ...{ code: said, type: said, status: said, param: said }, message: `Unsupported: ${said}` },
});

/** Bytes in pieces of 7, each in a chunk of its own. */
function inPieces(response: ServerResponse, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
  response.end();
}

const exceptionTypes = ["modelStreamErrorException", "validationException", "throttlingException"];
const exceptionsSaying = (said: string): Buffer[] => [
  ...exceptionTypes.map((type) => exceptionOf(type, `Unsupported: ${said}`)),
  exceptionOf(said.slice(0, 200), said),
  messageOf({ ":message-type": "error", ":error-code": said.slice(0, 200), ":error-message": said }, said),
  messageOf({ ":message-type": "exception", ":exception-type": "validationException" }, said),
];
const framesSaying = (said: string): Buffer[] => [
  Buffer.from(frame(errorOf(said))),
  Buffer.from(`event: error\n${frame(errorOf(said))}`),
  Buffer.from(frame({ error: { message: said } })),
];

/** Events of text with which a stream of each protocol begins. */
const begun: Record<string, () => Buffer> = {
  converse: () => eventOf("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }),
  openai: () => Buffer.from(frame({ choices: [{ index: 0, delta: { content: "Hi" } }] })),
  gemini: () => Buffer.from(frame({ candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] } }] })),
};
const anthropicEvents = [
  { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
];
const anthropicBegun = (isBinary: boolean) =>
  Buffer.concat(
    anthropicEvents.map((event) =>
      isBinary
        ? eventOf("chunk", { bytes: Buffer.from(JSON.stringify(event)).toString("base64") })
        : Buffer.from(`event: ${event.type}\n${frame(event)}`),
    ),
  );

/** Asks, and looks into everything that anybody is told. */
async function expectSilent(kind: Kind, writing: string, client: Speech, stream: boolean): Promise<void> {
  const path = pathOf(client, "test/model-1", stream);
  const body = { ...least[client], ...(client !== "gemini" && { model: "test/model-1", stream }) };
  const answer = await call(scenario.serve, path, { headers: scenario.bearer(), body });
  expect(scenario.upstream.requests.length).toBeGreaterThan(0);
  const { logs, events, refused } = scenario.memory;
  const told = [answer.text, JSON.stringify([answer.headers, logs, events, refused], bigints)].join("\n");
  for (const secret of secretsOf(kind))
    for (const write of [String, writings[writing] ?? String]) {
      const written = write(secret);
      for (let at = 4; at + 12 <= written.length - 4; at += 3)
        expect(told).not.toContain(written.slice(at, at + 12));
    }
  scenario.upstream.requests.length = 0;
  for (const list of [logs, events, refused]) list.length = 0;
}
const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

describe.each(Object.entries(kinds))("%s", (name, kind) => {
  const type = kind.isBinary ? "application/vnd.amazon.eventstream" : "text/event-stream";
  const isBinary = kind.isBinary === true;
  const opening = () => begun[protocolOf(name)]?.() ?? anthropicBegun(isBinary);
  const failures = isBinary ? exceptionsSaying : framesSaying;

  test.each(Object.keys(writings))(
    "in an error, in its headers and in what is no JSON: %s",
    async (writing) => {
      serve(name, kind);
      for (const [at, status] of [400, 401, 403, 404, 413, 429, 500, 503].entries()) {
        scenario.upstream.on((_, response) => {
          const said = quotation(kind, writing);
          json(response, status, errorOf(said), Object.fromEntries(toldIn.map((each) => [each, said])));
        });
        await expectSilent(kind, writing, clientAt(at), at % 2 === 0);
        scenario.upstream.on((_, response) =>
          inPieces(response.writeHead(status), Buffer.from(quotation(kind, writing))),
        );
        await expectSilent(kind, writing, "openai", false);
      }
    },
  );

  test.each(Object.keys(writings))(
    "in what a stream says before output and after it, in pieces: %s",
    async (writing) => {
      serve(name, kind);
      for (const before of [Buffer.alloc(0), opening()])
        for (let at = 0; at < failures("").length; at++) {
          scenario.upstream.on((_, response) => {
            const end = failures(quotation(kind, writing))[at] ?? Buffer.alloc(0);
            inPieces(response.writeHead(200, { "content-type": type }), Buffer.concat([before, end]));
          });
          await expectSilent(kind, writing, clientAt(at + writing.length), true);
        }
    },
  );

  test("in the headers of an answer", async () => {
    serve(name, kind);
    for (const client of speeches)
      for (const status of [200, 400]) {
        scenario.upstream.on((_, response) => {
          const said = quotation(kind, "plain");
          json(response, status, {}, { "x-request-id": said, "set-cookie": said, "x-amzn-requestid": said });
        });
        await expectSilent(kind, "plain", client, false);
      }
  });
});
