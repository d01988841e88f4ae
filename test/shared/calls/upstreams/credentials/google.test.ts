/** Tokens of Google, held against what Google's own library asks its services for. */
import { generateKeyPairSync } from "node:crypto";
import { AwsClient, AwsRequestSigner, JWT } from "google-auth-library";
import { decodeJwt, decodeProtectedHeader, importSPKI, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { TransportError } from "#shared/base/platform/http-client.ts";
import { google } from "#shared/calls/upstreams/credentials/google.ts";
import { ProviderFault } from "#shared/calls/upstreams/fault.ts";
import { roleKeys } from "#test/support/clouds.ts";
import { authorized, startTokenServices, type TokenServices } from "#test/support/token-services.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const audience =
  "//iam.googleapis.com/projects/123456789/locations/global/workloadIdentityPools/aws/providers/gateway";
const cloudScope = "https://www.googleapis.com/auth/cloud-platform";
const email = "models@acme.iam.gserviceaccount.com";

let services: TokenServices;
beforeAll(async () => (services = await startTokenServices()));
afterAll(() => services.stop());
beforeEach(() => services.reset());
afterEach(() => vi.useRealTimers());

/** The file of a pool, as Google's tool writes it, with its services at the test's address. */
function poolFile(changed: object = {}) {
  return {
    type: "external_account",
    audience,
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    service_account_impersonation_url: `${services.url}/iam/${email}:generateAccessToken`,
    token_url: `${services.url}/sts`,
    credential_source: { environment_id: "aws1", regional_cred_verification_url: "https://sts.test" },
    ...changed,
  };
}

const exchanged = { access_token: "exchanged", expires_in: 3600, token_type: "Bearer" };
const impersonated = { accessToken: "impersonated", expireTime: "2026-11-29T13:00:00Z" };

function answerAll() {
  services.answers({
    "/sts": exchanged,
    [`/iam/${email}:generateAccessToken`]: impersonated,
    "/token": { access_token: "own", expires_in: 3599, token_type: "Bearer" },
  });
}

/** The role's credentials, as Google's library names them. */
const theirCredentials = {
  accessKeyId: roleKeys.accessKeyId,
  secretAccessKey: roleKeys.secretAccessKey,
  token: roleKeys.sessionToken,
};

/** The signed request in a subject token, with its headers in order. */
function subject(token: unknown) {
  const { headers, ...rest } = JSON.parse(decodeURIComponent(String(token)));
  const pairs = headers.map(({ key, value }: { key: string; value: string }) => [key, value]);
  return { ...rest, headers: Object.fromEntries(pairs) };
}

describe("a workload identity pool", () => {
  test("is asked as Google's library asks it, with its signature", async () => {
    answerAll();
    const { time } = services.deps;
    const { credential_source: _, ...file } = poolFile();
    const theirs = new AwsClient({
      ...file,
      type: "external_account",
      scopes: [cloudScope],
      aws_security_credentials_supplier: {
        getAwsRegion: async () => services.deps.aws.region,
        getAwsSecurityCredentials: async () => theirCredentials,
      },
    } as ConstructorParameters<typeof AwsClient>[0]);
    vi.useFakeTimers({ toFake: ["Date"], now: time });
    expect(await theirs.getAccessToken()).toMatchObject({ token: "impersonated" });
    const ours = await authorized(google({}, JSON.stringify(poolFile()), services.deps));
    expect(ours).toEqual({
      headers: { authorization: "Bearer impersonated" },
      confidential: ["impersonated"],
    });

    const [expected, asked] = services.asked("/sts");
    const [known, mine] = [subject(expected?.subject_token), subject(asked?.subject_token)];
    expect({ ...asked, subject_token: "" }).toEqual({ ...expected, subject_token: "" });
    // The library adds the pool's provider after it has signed. Google's own example signs it too, as we do.
    const signer = new AwsRequestSigner(async () => theirCredentials, services.deps.aws.region);
    const target = { "x-goog-cloud-target-resource": audience };
    const signed = await signer.getRequestOptions({ url: known.url, method: "POST", headers: target });
    const authorization = new Headers(signed.headers).get("authorization");
    expect(mine).toEqual({ ...known, headers: { ...known.headers, authorization } });
    const [lent, got] = services.asked(`/iam/${email}:generateAccessToken`);
    expect(got).toEqual({ scope: lent?.scope, lifetime: lent?.lifetime });
    const bearers = services.requests.filter(({ path }) => path.startsWith("/iam"));
    expect(bearers.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer exchanged",
      "Bearer exchanged",
    ]);
  });

  test("may have the models itself, without a service account", async () => {
    answerAll();
    const { service_account_impersonation_url: _, ...file } = poolFile();
    expect(await authorized(google({}, JSON.stringify(file), services.deps))).toEqual({
      headers: { authorization: "Bearer exchanged" },
      confidential: ["exchanged"],
    });
    expect(services.requests).toHaveLength(1);
  });
});

describe("a service account's key", () => {
  const file = () => ({
    type: "service_account",
    client_email: email,
    private_key: privateKey,
    private_key_id: "key-1",
    token_uri: `${services.url}/token`,
  });

  test("signs what Google's library signs", async () => {
    answerAll();
    vi.useFakeTimers({ toFake: ["Date"], now: services.deps.time });
    let expected: unknown;
    const theirs = new JWT({
      email,
      key: privateKey,
      scopes: [cloudScope],
    });
    theirs.transporter = {
      request: async ({ data }: { data: URLSearchParams }) => {
        expected = Object.fromEntries(data);
        return { data: { access_token: "theirs", expires_in: 3599 } };
      },
    } as unknown as typeof theirs.transporter;
    await theirs.getAccessToken();
    const ours = await authorized(google({}, JSON.stringify(file()), services.deps));
    expect(ours.headers).toEqual({ authorization: "Bearer own" });

    const [asked] = services.asked("/token");
    const { grant_type, assertion } = expected as { grant_type: string; assertion: string };
    expect(asked?.grant_type).toBe(grant_type);
    const [mine, known] = [decodeJwt(String(asked?.assertion)), decodeJwt(assertion)];
    expect(known.aud).toBe("https://oauth2.googleapis.com/token");
    expect(mine).toEqual({ ...known, aud: `${services.url}/token` });
    expect(decodeProtectedHeader(String(asked?.assertion))).toEqual({
      alg: "RS256",
      typ: "JWT",
      kid: "key-1",
    });
    await jwtVerify(String(asked?.assertion), await importSPKI(publicKey, "RS256"));
  });

  test("is asked for once until shortly before the token ends", async () => {
    answerAll();
    const authorize = google({}, JSON.stringify(file()), services.deps);
    await Promise.all([authorized(authorize), authorized(authorize)]);
    await authorized(authorize);
    expect(services.requests).toHaveLength(1);
  });
});

describe("the channel's own fault is", () => {
  const faultOf = async (key: string) => {
    const fault = await authorized(google({}, key, services.deps)).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(ProviderFault);
    const { message, facts } = fault as ProviderFault;
    return { message, ...facts };
  };

  test.each([
    ["no JSON at all", "AIza-an-api-key", "no credential file"],
    ["a file of another kind", '{"type":"authorized_user"}', "no credential file"],
    ["a file without an account", '{"type":"service_account","private_key":"x"}', "has no client_email"],
    [
      "a file with a damaged key",
      '{"type":"service_account","client_email":"a@b","private_key":"-----BEGIN PRIVATE KEY-----\\nnonsense"}',
      "private key of the service account cannot be read",
    ],
    [
      "a pool of another kind",
      `{"type":"external_account","audience":"//a","subject_token_type":"urn:ietf:params:oauth:token-type:jwt"}`,
      "not for a pool's provider of the kind AWS",
    ],
    [
      "a service in the clear",
      `{"type":"external_account","audience":"//a","subject_token_type":"urn:ietf:params:aws:token-type:aws4_request","token_url":"http://sts.test/"}`,
      "begins neither with https://",
    ],
  ])("%s", async (_, key, says) => {
    const fault = await faultOf(key);
    expect(fault).toMatchObject({ account: "key", certain: true });
    expect(fault.message).toContain(says);
    expect(services.requests).toEqual([]);
  });

  test.each([
    [400, { error: "invalid_grant", error_description: "own-session-token is over" }, "key", "invalid_grant"],
    [
      403,
      { error: { code: 403, status: "PERMISSION_DENIED", message: "of own-secret-access-key" } },
      "key",
      "PERMISSION_DENIED",
    ],
    [401, { error: `Bearer ${roleKeys.sessionToken}` }, "key", undefined],
    [429, { error: "rate_limited" }, undefined, "rate_limited"],
    [503, {}, undefined, undefined],
  ] as const)("the answer %i %j, which is not quoted", async (status, answer, account, code) => {
    services.answers({ "/sts": answer }, status);
    const fault = await faultOf(JSON.stringify(poolFile()));
    expect(fault.account).toBe(account);
    expect(fault.certain).toBe(true);
    expect(fault.told).toEqual({ upstream_status: status, ...(code && { upstream_code: code }) });
    expect(fault.message).toBe(`Google's token service: status ${status}`);
  });

  test("a service that cannot be reached, and a role whose credentials cannot be had", async () => {
    const { deps } = services;
    const closed = { ...deps, send: () => Promise.reject(new TransportError("connect", "refused")) };
    const roleless = {
      ...deps,
      aws: { ...deps.aws, credentials: () => Promise.reject(new Error("no role")) },
    };
    for (const [changed, says] of [
      [closed, "refused"],
      [roleless, "no role"],
    ] as const) {
      const told = await authorized(google({}, JSON.stringify(poolFile()), changed)).catch((error) => error);
      expect(told).toBeInstanceOf(ProviderFault);
      expect(told.facts).toEqual({ certain: true });
      expect(told.message).toContain(says);
    }
  });

  test.each([
    {},
    { access_token: "two\nlines", expires_in: 60 },
    { access_token: 7, expires_in: 60 },
    { access_token: "endless" },
  ])("the answer %j without a token", async (answer) => {
    services.answers({ "/sts": answer });
    const fault = await faultOf(JSON.stringify(poolFile()));
    expect(fault.message).toBe("Google's token service: the answer holds no token");
    expect(fault.account).toBe(undefined);
  });
});
