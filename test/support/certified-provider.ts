/** `oidc-provider`, a certified OpenID provider, on loopback: accounts, clients, keys and a browser that keeps its cookies. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider, {
  type AdapterFactory,
  type AdapterPayload,
  type Configuration,
  type InteractionResults,
} from "oidc-provider";
import { listen } from "#infra/local/emulators/listen.ts";
import { createLocalServer } from "#infra/local/emulators/loopback.ts";

/** A client of the provider, as an owner sets it in our console. */
interface CertifiedClient {
  client_id: string;
  client_secret: string;
}

const authMethods = ["client_secret_basic", "client_secret_post"] as const;
const algorithms = ["RS256", "ES256"] as const;
type Algorithm = (typeof algorithms)[number];

/** What a test chooses of the provider. */
export interface CertifiedOptions {
  /** How the client authenticates, which the provider demands of it. */
  method?: (typeof authMethods)[number];
  /** What the metadata say of that; the client's own alone, if absent. */
  methodsTold?: readonly (typeof authMethods)[number][];
  algorithm?: Algorithm;
  /** The claims are in the ID token. Else only the userinfo endpoint has them. */
  isWhole?: boolean;
}

/** Characters that a form encodes otherwise than a URL: a client that encodes them wrongly is refused. */
const client: CertifiedClient = {
  client_id: "gateway client:1",
  client_secret: "a secret+with/all%of: them~",
};

async function newKey(algorithm: Algorithm): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: algorithm, use: "sig" };
}

/** Starts it with one client, whose sign-ins may lead back anywhere below `console`. */
export async function startCertifiedProvider(console: string, options: CertifiedOptions = {}) {
  const { method = "client_secret_basic", algorithm = "RS256" } = options;
  const accounts = new Map<string, Record<string, unknown>>();
  let next: InteractionResults = {};
  let serve: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createLocalServer((request, response) => void serve(request, response));
  const { url, stop } = await listen(server, 0);
  const redirects: string[] = [];
  const adapter = newStorage();

  /** The same provider with another key: whoever knows the one before has to ask for the keys again. */
  const rotate = async () => {
    const keys = await Promise.all(algorithms.map(newKey));
    const provider = new Provider(
      url,
      configurationOf({ keys, accounts, redirects, adapter, options, method, algorithm }),
    );
    const callback = provider.callback();
    serve = async (request, response) => {
      // The package takes both methods of every client. Others take the one that was set.
      const isOther = (request.headers.authorization !== undefined) !== (method === "client_secret_basic");
      if (request.url === "/token" && isOther) return unknownClient(response);
      if (!request.url?.startsWith("/interaction/")) return await callback(request, response);
      await provider.interactionFinished(request, response, next);
    };
  };

  /**
   * Goes to the authorization endpoint as a browser of nobody, answers as `result` says, and follows to the console. Gives
   * what the provider leads back with.
   */
  const visit = async (address: string, result: InteractionResults) => {
    next = result;
    const cookies = new Map<string, string>();
    let at = new URL(address);
    while (at.origin === url) {
      const cookie = [...cookies].map((each) => each.join("=")).join("; ");
      const answer = await fetch(at, { redirect: "manual", headers: { cookie } });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get("location");
      if (location === null) throw new Error(`${answer.status}: ${await answer.text()}`);
      at = new URL(location, at);
    }
    const organization = at.pathname.split("/").at(-1) ?? "";
    return { organization, ...Object.fromEntries(at.searchParams) } as Record<string, string>;
  };

  await rotate();
  return {
    ...{ url, stop, client, rotate, visit },
    /** Lets the console of an organization be led back to. */
    allow: async (organization: string) => {
      redirects.push(`${console}/sign-on/${organization}`);
      await rotate();
    },
    /** Makes an account with these claims. */
    account: (id: string, claims: Record<string, unknown>) => void accounts.set(id, claims),
  };
}

function unknownClient(response: ServerResponse): void {
  const headers = { "content-type": "application/json", "www-authenticate": "Basic" };
  response.writeHead(401, headers).end(JSON.stringify({ error: "invalid_client" }));
}

interface Configured {
  keys: JWK[];
  accounts: Map<string, Record<string, unknown>>;
  redirects: string[];
  adapter: AdapterFactory;
  options: CertifiedOptions;
  method: (typeof authMethods)[number];
  algorithm: Algorithm;
}

/** What the provider keeps, such as codes: it is there still when the keys are others. */
function newStorage(): AdapterFactory {
  const kept = new Map<string, AdapterPayload>();
  return (name) => {
    const under = (id: string) => `${name}:${id}`;
    const where = async (fits: (payload: AdapterPayload) => boolean) =>
      [...kept].find(([key, payload]) => key.startsWith(`${name}:`) && fits(payload))?.[1];
    return {
      upsert: async (id, payload) => void kept.set(under(id), payload),
      find: async (id) => kept.get(under(id)),
      findByUid: async (uid) => await where((payload) => payload.uid === uid),
      findByUserCode: async (code) => await where((payload) => payload.userCode === code),
      consume: async (id) => void kept.set(under(id), { ...kept.get(under(id)), consumed: 1 }),
      destroy: async (id) => void kept.delete(under(id)),
      revokeByGrantId: async (grant) => {
        for (const [key, { grantId }] of kept) if (grantId === grant) kept.delete(key);
      },
    };
  };
}

function configurationOf({
  keys,
  accounts,
  redirects,
  adapter,
  options,
  method,
  algorithm,
}: Configured): Configuration {
  const { methodsTold = [method], isWhole = false } = options;
  return {
    adapter,
    jwks: { keys: keys as NonNullable<Configuration["jwks"]>["keys"] },
    clients: [
      {
        ...client,
        redirect_uris: [...redirects],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: method,
        id_token_signed_response_alg: algorithm,
      },
    ],
    clientAuthMethods: [...methodsTold],
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    conformIdTokenClaims: !isWhole,
    cookies: { keys: ["a key of this test"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...accounts.get(accountId) }),
    }),
    // The company's own client needs no consent of its people.
    loadExistingGrant: async ({ oidc }) => {
      const { session, client: asking } = oidc;
      if (!session?.accountId || !asking) return undefined;
      const grant = new oidc.provider.Grant({ clientId: asking.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      Grant: 300,
      IdToken: 300,
      Interaction: 300,
      Session: 300,
    },
  };
}
