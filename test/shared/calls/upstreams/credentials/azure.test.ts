/** Azure's credentials: tokens are held against what Microsoft's own library asks for. */

import { GetWebIdentityTokenCommand, STSClient } from "@aws-sdk/client-sts";
import { ConfidentialClientApplication } from "@azure/msal-node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { azure } from "#shared/calls/upstreams/credentials/azure.ts";
import { ProviderFault } from "#shared/calls/upstreams/fault.ts";
import { roleKeys } from "#test/support/clouds.ts";
import { authorized, startTokenServices, type TokenServices } from "#test/support/token-services.ts";

const tenantId = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const clientId = "11111111-2222-3333-4444-555555555555";
const tokenPath = `/login/${tenantId}/oauth2/v2.0/token`;
const statement = "eyJ.role.statement";
const stated = `<GetWebIdentityTokenResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetWebIdentityTokenResult><WebIdentityToken>${statement}</WebIdentityToken><Expiration>2026-11-29T12:05:00Z</Expiration></GetWebIdentityTokenResult></GetWebIdentityTokenResponse>`;

let services: TokenServices;
beforeAll(async () => (services = await startTokenServices()));
afterAll(() => services.stop());
beforeEach(() => services.reset());

/** An app registration, as Azure's tool writes it, with the services at the test's address. */
function registration(changed: object = {}) {
  return JSON.stringify({
    clientId,
    tenantId,
    subscriptionId: "99999999-0000-0000-0000-000000000000",
    activeDirectoryEndpointUrl: `${services.url}/login/`,
    ...changed,
  });
}

function answerAll() {
  services.answers({
    [tokenPath]: { token_type: "Bearer", expires_in: 3599, access_token: "entra" },
    "/aws/": stated,
  });
}

/** The form that Microsoft's library sends, without what it tells of itself. */
async function formOfMsal(proof: object): Promise<{ path: string; form: object }> {
  const sent: { path: string; form: object }[] = [];
  const known = `https://login.microsoftonline.com/${tenantId}`;
  const app = new ConfidentialClientApplication({
    auth: { clientId, authority: known, ...proof },
    system: {
      networkClient: {
        sendGetRequestAsync: async () => ({ status: 200, headers: {}, body: {} as never }),
        sendPostRequestAsync: async (url, options) => {
          const own = /^(?:x-|client-request-id)/;
          const fields = [...new URLSearchParams(options?.body)].filter(([name]) => !own.test(name));
          sent.push({ path: new URL(url).pathname, form: Object.fromEntries(fields) });
          const body = { token_type: "Bearer", expires_in: 3599, access_token: "theirs" };
          return { status: 200, headers: {}, body: body as never };
        },
      },
    },
  });
  await app.acquireTokenByClientCredential({ scopes: ["https://cognitiveservices.azure.com/.default"] });
  const [first] = sent;
  if (!first) throw new Error("the library asked for nothing");
  return first;
}

describe("an app registration", () => {
  test("with a secret is shown as Microsoft's library shows it", async () => {
    answerAll();
    const clientSecret = "s&+=~ecret";
    const expected = await formOfMsal({ clientSecret });
    const ours = await authorized(azure({}, registration({ clientSecret }), services.deps));
    expect(ours).toEqual({ headers: { authorization: "Bearer entra" }, confidential: ["entra"] });
    expect(services.asked(tokenPath)).toEqual([expected.form]);
    expect(tokenPath).toBe(`/login${expected.path}`);
  });

  test("without one is proven by AWS's statement of the role", async () => {
    answerAll();
    const expected = await formOfMsal({ clientAssertion: statement });
    await authorized(azure({}, registration(), services.deps));
    expect(services.asked(tokenPath)).toEqual([expected.form]);
  });

  test("asks for that statement as AWS's library does", async () => {
    answerAll();
    await authorized(azure({}, registration(), services.deps));
    const theirs = new STSClient({
      region: "eu-central-1",
      credentials: roleKeys,
      endpoint: `${services.url}/aws/`,
    });
    const answer = await theirs.send(
      new GetWebIdentityTokenCommand({
        Audience: ["api://AzureADTokenExchange"],
        SigningAlgorithm: "RS256",
        DurationSeconds: 300,
      }),
    );
    expect(answer.WebIdentityToken).toBe(statement);
    const [ours, expected] = services.asked("/aws/");
    expect(ours).toEqual(expected);
    const scopes = services.requests
      .filter(({ path }) => path === "/aws/")
      .map(
        ({ headers }) =>
          /Credential=ASIATESTROLE0000001\/\d+\/([^,]*)/.exec(headers.authorization ?? "")?.[1],
      );
    expect(scopes).toEqual(["eu-central-1/sts/aws4_request", "eu-central-1/sts/aws4_request"]);
  });

  test("is asked for once until shortly before the token ends", async () => {
    answerAll();
    const authorize = azure({}, registration({ clientSecret: "s" }), services.deps);
    await Promise.all([authorized(authorize), authorized(authorize)]);
    services.deps.time += 3_000_000;
    await authorized(authorize);
    expect(services.asked(tokenPath)).toHaveLength(1);
    services.deps.time -= 3_000_000;
  });
});

test("an API key is sent as it is, and nobody is asked", async () => {
  expect(await authorized(azure({}, "84-characters", services.deps))).toEqual({
    headers: { "api-key": "84-characters" },
    confidential: ["84-characters"],
  });
  expect(services.requests).toEqual([]);
});

describe("the channel's own fault is", () => {
  const faultOf = async (key: string) => {
    const fault = await authorized(azure({}, key, services.deps)).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(ProviderFault);
    const { message, facts } = fault as ProviderFault;
    return { message, ...facts };
  };

  test.each([
    "{ damaged",
    JSON.stringify({ clientId }),
    JSON.stringify({ clientId, tenantId: "../other" }),
    JSON.stringify({ clientId: ["a"], tenantId }),
  ])("the registration %s", async (key) => {
    expect(await faultOf(key)).toEqual({
      message: "Microsoft's token service: the key is no app registration with tenantId and clientId",
      account: "key",
      certain: true,
    });
    expect(services.requests).toEqual([]);
  });

  test("a secret that Microsoft refuses, which is not quoted", async () => {
    services.answers(
      { [tokenPath]: { error: "invalid_client", error_description: "AADSTS7000215: s-secret" } },
      401,
    );
    expect(await faultOf(registration({ clientSecret: "s-secret" }))).toEqual({
      message: "Microsoft's token service: status 401",
      told: { upstream_status: 401, upstream_code: "invalid_client" },
      account: "key",
      certain: true,
    });
  });

  test("a role that AWS makes no statement for", async () => {
    const error =
      "<ErrorResponse><Error><Code>OutboundWebIdentityFederationDisabled</Code></Error></ErrorResponse>";
    services.answers({ "/aws/": error }, 400);
    expect(await faultOf(registration())).toMatchObject({
      message: "AWS does not state the role: 400 OutboundWebIdentityFederationDisabled",
      account: "key",
    });
  });
});
