/** Tokens and sessions that a provider does not take any more: the next call brings a fresh one, and a crowd one alone. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { roleKeys, testClouds } from "#test/support/clouds.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { completion, useScenario } from "#test/support/scenario.ts";
import { startTokenServices, type TokenServices } from "#test/support/token-services.ts";

const scenario = useScenario();
let services: TokenServices;
let time = Date.now();
/** How many tokens were given out. */
let given = 0;
beforeAll(async () => (services = await startTokenServices()));
afterAll(() => services.stop());

const role_arn = "arn:aws:iam::123456789012:role/models";
const kinds: Record<string, { auth: string; credential?: object; secret?: () => object }> = {
  "a session of a role": { auth: "aws_role", credential: { role_arn } },
  "a token of Google's": {
    auth: "google",
    secret: () => ({
      type: "external_account",
      audience: "//iam.googleapis.com/pool",
      subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
      token_url: `${services.url}/token`,
    }),
  },
  "a token of Microsoft's": {
    auth: "azure",
    secret: () => ({
      ...{ tenantId: "tenant", clientId: "client", clientSecret: "secret" },
      activeDirectoryEndpointUrl: services.url,
    }),
  },
};

beforeEach(() => {
  given = 0;
  services.on((_, response: ServerResponse) => {
    given += 1;
    const session = { AccessKeyId: `ASIA${given}`, SecretAccessKey: "s", SessionToken: `token-${given}` };
    const values = { ...session, Expiration: new Date(time + 3_600_000).toISOString() };
    const xml = Object.entries(values).map(([name, value]) => `<${name}>${value}</${name}>`);
    const isXml = String(services.requests.at(-1)?.path).startsWith("/aws");
    response.writeHead(200, { "content-type": isXml ? "text/xml" : "application/json" });
    response.end(isXml ? xml.join("") : JSON.stringify({ access_token: `token-${given}`, expires_in: 3600 }));
  });
});

function serve({ auth, credential, secret }: (typeof kinds)[string]): void {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as { providers: Record<string, object>; models: { channels: object[] }[] };
  const named = secret && { secret: "CLOUD_SECRET" };
  const protocols = { openai: `${url}/v1` };
  catalog.providers.cloud = { protocols, auth, ...(credential && { credential }), ...named };
  catalog.models[0]?.channels.splice(0, 1, { provider: "cloud", model: "model" });
  scenario.memory = createMemory(catalog);
  scenario.key = scenario.memory.addKey();
  const { deps } = scenario.memory;
  const provider = async () => JSON.stringify(secret?.() ?? {});
  deps.secrets = { ...deps.secrets, provider, lacks: () => false };
  deps.clouds = testClouds({
    aws: { region: "us-east-1", credentials: () => roleKeys },
    ...{ sts: `${services.url}/aws`, now: () => time },
  });
  scenario.serve = createPipeline({} as never, deps);
}

/** The token that a request brought. */
const brought = ({ headers }: Pick<IncomingMessage, "headers">) =>
  String(headers["x-amz-security-token"] ?? headers.authorization).replace("Bearer ", "");

/** From now on the provider takes all tokens but these. */
function refuses(tokens: (token: string) => boolean, answer = { status: 401, name: "" }): void {
  scenario.upstream.on((request, response) => {
    const isRefused = tokens(brought(request));
    const headers = {
      "content-type": "application/json",
      ...(isRefused && { "x-amzn-errortype": answer.name }),
    };
    response.writeHead(isRefused ? answer.status : 200, headers);
    response.end(JSON.stringify(isRefused ? { message: "no" } : completion));
  });
}

const crowd = async (size: number) =>
  (await Promise.all(Array.from({ length: size }, () => scenario.chat()))).map(({ status }) => status);

describe.each(Object.entries(kinds))("%s", (name, kind) => {
  const refusal =
    kind.auth === "aws_role"
      ? { status: 403, name: "ExpiredTokenException:http://internal.amazon.com/" }
      : { status: 401, name: "" };

  test("is obtained by the first calls alone", async () => {
    serve(kind);
    refuses(() => false);
    expect(new Set(await crowd(20))).toEqual(new Set([200]));
    expect(await crowd(20)).toHaveLength(20);
    expect(given).toBe(1);
  });

  test("that is refused is obtained anew by one of all later calls", async () => {
    serve(kind);
    refuses(() => false);
    await scenario.chat();
    time += 60_000;
    refuses((token) => token === "token-1", refusal);
    expect(new Set(await crowd(50))).toEqual(new Set([500]));
    expect(given).toBe(1);
    expect(new Set(await crowd(50))).toEqual(new Set([200]));
    expect(given).toBe(2);
    expect(scenario.upstream.requests.slice(-50).map(brought)).toEqual(
      Array.from({ length: 50 }, () => "token-2"),
    );
  });

  test("that is refused again and again is obtained once in ten seconds", async () => {
    serve(kind);
    refuses(() => true, refusal);
    for (let second = 0; second < 30; second++) {
      await crowd(5);
      time += 1_000;
    }
    expect(given).toBe(3);
  });

  test.each([400, 403, 404, 429, 500])("stays where the provider says %i", async (status) => {
    serve(kind);
    refuses(() => true, { status, name: "AccessDeniedException" });
    await scenario.chat();
    time += 60_000;
    await crowd(3);
    await scenario.chat();
    expect([name, given]).toEqual([name, 1]);
  });
});
