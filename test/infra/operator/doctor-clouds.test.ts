/** What `operator doctor` says of models at Google's and Azure's clouds, which are played here with their token services. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Provider } from "#shared/books/catalog/catalog.ts";
import type { CloudProvider } from "#shared/edges/operator/cloud-providers.ts";
import { examined } from "#test/support/account.ts";
import { testClouds } from "#test/support/clouds.ts";
import { startTokenServices, type TokenServices } from "#test/support/token-services.ts";

let played: TokenServices;
beforeAll(async () => {
  played = await startTokenServices();
});
afterEach(() => played.reset());
afterAll(async () => await played.stop());

type Keys = Record<string, string>;

const soon = () => new Date(played.deps.now() + 3_600_000).toISOString();
const token = { access_token: "a-token", expires_in: 3600 };

/** A credential file by the role, for the token services played here. */
const googleFile = (more: object = {}) =>
  JSON.stringify({
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/pool",
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    token_url: `${played.url}/exchange`,
    service_account_impersonation_url: `${played.url}/impersonate`,
    ...more,
  });
const azureApp = (more: object = {}) =>
  JSON.stringify({
    tenantId: "t",
    clientId: "c",
    activeDirectoryEndpointUrl: `${played.url}/entra`,
    ...more,
  });

/** What Google's services answer where all is well. */
const googleWell = () => ({
  "/exchange": token,
  "/impersonate": { accessToken: "a-token", expireTime: soon() },
});
const entra = "/entra/t/oauth2/v2.0/token";

const base = "/v1/projects/our-project/locations/global/publishers";
const vertex = (): CloudProvider => ({
  name: "vertex",
  provider: {
    protocols: { gemini: `${played.url}/v1/projects/{PROJECT}/locations/global` },
    ...{ auth: "google", host: "vertex", secret: "GOOGLE" },
  } as Provider,
  models: ["gemini-3.8-flash", "gemini-4-argon"],
  vectors: [],
});
const azure = (): CloudProvider => ({
  name: "azure",
  provider: {
    protocols: { openai: `${played.url}/openai/v1`, responses: `${played.url}/openai/v1` },
    ...{ auth: "azure", secret: "AZURE" },
  } as Provider,
  models: ["gpt-6.1-sol", "gpt-6-luna"],
  vectors: [],
});

/** What doctor finds of a provider with these keys in the secret. */
async function found(called: CloudProvider, keys: Keys, probe = false) {
  const { checks } = await examined({
    clouds: [called],
    doors: { clouds: testClouds(played.deps), probe },
    answers: { "secretsmanager:GetSecretValue": () => ({ SecretString: JSON.stringify(keys) }) },
  });
  expect(JSON.stringify(checks)).not.toMatch(/a-token|sk-secret|own-secret/);
  const clouds = checks.filter(({ check }) => check.startsWith("cloud "));
  expect(clouds.length).toBeLessThan(2);
  return clouds[0];
}

const google = (): Keys => ({ GOOGLE: googleFile(), PROJECT: "our-project" });

test("Vertex AI: the tokens of a word are counted by each model, with the token of the credential file", async () => {
  played.answers({
    ...googleWell(),
    [`${base}/google/models/gemini-3.8-flash:countTokens`]: { totalTokens: 1 },
    [`${base}/google/models/gemini-4-argon:countTokens`]: { totalTokens: 1 },
  });
  expect(await found(vertex(), google())).toEqual({
    check: "cloud vertex",
    status: "ok",
    seen: "2 of 2 models may be called",
  });
  const counts = played.requests.filter(({ path }) => path.endsWith(":countTokens"));
  expect(counts.map(({ headers }) => headers.authorization)).toEqual(["Bearer a-token", "Bearer a-token"]);
  // The token is had once.
  expect(played.asked("/exchange")).toHaveLength(1);
});

test("a model that is not there is named", async () => {
  played.answers({
    ...googleWell(),
    [`${base}/google/models/gemini-3.8-flash:countTokens`]: { totalTokens: 1 },
  });
  expect(await found(vertex(), google())).toMatchObject({
    status: "warn",
    seen: "1 of 2 models may be called: gemini-4-argon is not there",
    action: expect.stringContaining("Model Garden"),
  });
});

test("Claude at Vertex AI is counted where all models are", async () => {
  const claude: CloudProvider = { ...vertex(), name: "vertex-claude", models: ["claude-opus-5-5"] };
  claude.provider.protocols = { anthropic: claude.provider.protocols.gemini ?? "" };
  played.answers({
    ...googleWell(),
    [`${base}/anthropic/models/count-tokens:rawPredict`]: { input_tokens: 8 },
  });
  expect(await found(claude, google())).toMatchObject({ status: "ok", seen: "1 of 1 model may be called" });
  const [asked] = played.asked(`${base}/anthropic/models/count-tokens:rawPredict`);
  expect(asked).toMatchObject({ model: "claude-opus-5-5", anthropic_version: "vertex-2023-10-16" });
});

test.each<
  [seen: string, status: string, action: string, keys: () => Keys, answers: () => object, code: number]
>([
  [
    "no credential file",
    "fail",
    "put the whole file",
    () => ({ GOOGLE: "{}", PROJECT: "p" }),
    () => ({}),
    200,
  ],
  [
    "Google's token service: status 400, invalid_grant",
    ...(["fail", "compare the AWS account"] as const),
    google,
    () => ({ "/exchange": { error: "invalid_grant" } }),
    400,
  ],
  [
    "Google's token service: status 404",
    ...(["fail", "the service account"] as const),
    google,
    () => ({ "/exchange": token }),
    200,
  ],
])("no credential of Google's: %s", async (seen, status, action, keys, answers, code) => {
  played.answers(answers() as Record<string, object>, code);
  expect(await found(vertex(), keys())).toMatchObject({
    status,
    seen: expect.stringContaining(seen),
    action: expect.stringContaining(action),
  });
});

test("a refusal of the role of whoever asks says nothing of the gateway's", async () => {
  played.on((request, response) => {
    response.writeHead(request.url === "/exchange" ? 200 : 403, { "content-type": "application/json" });
    response.end(
      JSON.stringify(request.url === "/exchange" ? token : { error: { status: "PERMISSION_DENIED" } }),
    );
  });
  expect(await found(vertex(), google())).toMatchObject({
    status: "unknown",
    seen: "no credential: Google's token service: status 403, PERMISSION_DENIED, to the role of this command",
    action: expect.stringContaining("only the gateway's own role"),
  });
});

const key = { AZURE: "sk-secret-azure" };

test("Azure: its list takes the credential, and no deployment is asked for money", async () => {
  played.answers({ "/openai/v1/models": { data: [] } });
  expect(await found(azure(), key)).toMatchObject({
    status: "ok",
    seen: expect.stringContaining("the resource takes the credential; whether its 2 deployments are there"),
  });
  expect(played.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /openai/v1/models"]);
  expect(played.requests[0]?.headers["api-key"]).toBe("sk-secret-azure");
});

test("Azure, probed: each deployment is asked for a token, and one that is not there is named", async () => {
  played.on((_, response) => {
    const last = JSON.parse(played.requests.at(-1)?.body.toString() ?? "{}");
    const isThere = last.model === "gpt-6-luna";
    response.writeHead(isThere ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isThere ? { choices: [] } : { error: { code: "DeploymentNotFound" } }));
  });
  expect(await found({ ...azure(), models: ["gpt-6-luna"] }, key, true)).toMatchObject({ status: "ok" });
  expect(await found({ ...azure(), models: ["gpt-6.1-sol"] }, key, true)).toMatchObject({
    status: "fail",
    seen: "0 of 1 model may be called: gpt-6.1-sol is not deployed",
    action: expect.stringContaining("deploy them under these names"),
  });
  expect(played.asked("/openai/v1/chat/completions")[0]).toMatchObject({ max_completion_tokens: 1 });
});

test.each<[status: number, body: object, found: string, seen: string]>([
  // The question reached the model, which is what was asked.
  [400, { error: { message: "max_tokens was reached" } }, "ok", "1 of 1 model"],
  [429, { error: { code: "429" } }, "ok", "1 of 1 model"],
  [400, { error: { code: "OperationNotSupported" } }, "fail", "is not called in this way"],
  [401, { error: { code: "401" } }, "fail", "the credential is refused with 401"],
  [403, { error: { code: "403" } }, "fail", "may not be called"],
  [503, {}, "fail", "answers 503"],
])("a probe that is answered with %i", async (status, body, judged, seen) => {
  played.on((_, response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
  );
  const one = await found({ ...azure(), models: ["gpt-6-luna"] }, key, true);
  expect(one).toMatchObject({ status: judged, seen: expect.stringContaining(seen) });
});

const webIdentity = "<WebIdentityToken>a-token</WebIdentityToken>";
test.each<
  [
    seen: string,
    status: string,
    action: string,
    app: () => object,
    sts: string | number,
    code: number,
    error?: string,
  ]
>([
  [
    "status 401, invalid_client",
    "fail",
    "a secret may have ended",
    () => ({ clientSecret: "sk-secret" }),
    "",
    401,
    "invalid_client",
  ],
  [
    "status 401, invalid_client",
    "unknown",
    "only the gateway's own role",
    () => ({}),
    webIdentity,
    401,
    "invalid_client",
  ],
  [
    "status 400, unauthorized_client",
    "fail",
    "compare tenantId",
    () => ({}),
    webIdentity,
    400,
    "unauthorized_client",
  ],
  [
    "OutboundWebIdentityFederationDisabled",
    "fail",
    "enable-outbound",
    () => ({}),
    "<Code>OutboundWebIdentityFederationDisabledException</Code>",
    400,
  ],
  ["AccessDenied", "unknown", "only the gateway's own role", () => ({}), "<Code>AccessDenied</Code>", 403],
])("no credential of Azure's: %s, %s", async (seen, status, action, app, sts, code, error) => {
  played.on((request, response) => {
    const isSts = request.url === "/aws/";
    const isRefused = !isSts || !String(sts).includes("WebIdentityToken");
    response.writeHead(isRefused ? code : 200, { "content-type": "application/json" });
    response.end(isSts ? sts : JSON.stringify({ error }));
  });
  expect(await found(azure(), { AZURE: azureApp(app()) })).toMatchObject({
    status,
    seen: expect.stringContaining(seen),
    action: expect.stringContaining(action),
  });
  if (error !== undefined) expect(played.asked(entra)).toHaveLength(1);
});

test("an address at which nobody is names what stands in it", async () => {
  const nobody = azure();
  nobody.provider.protocols = { openai: "http://127.0.0.1:9/{AZURE_RESOURCE}" };
  expect(await found(nobody, { ...key, AZURE_RESOURCE: "typo" })).toMatchObject({
    status: "fail",
    seen: expect.stringContaining("it cannot be reached"),
    action: expect.stringContaining("compare AZURE_RESOURCE"),
  });
});

test("of a cloud whose names are not set nothing is said, and Bedrock is asked by a probe alone", async () => {
  expect(await found(vertex(), { PROJECT: "p" })).toBeUndefined();
  const bedrock: CloudProvider = {
    name: "bedrock",
    provider: { protocols: { converse: played.url }, auth: "aws_role", host: "bedrock" },
    models: ["amazon.nova-pro-v1:0"],
    vectors: [],
  };
  expect(await found(bedrock, {})).toBeUndefined();
  played.answers({ "/model/amazon.nova-pro-v1%3A0/converse": { output: {} } });
  expect(await found(bedrock, {}, true)).toMatchObject({ status: "ok", seen: "1 of 1 model may be called" });
});
