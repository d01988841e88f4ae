/**
 * Plays an organization's identity provider, and the DNS that proves its domains (shared/people/sign-on/README.md "On
 * your machine"): OpenID Connect with a page on which whoever comes says who they are.
 */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { type Listening, listen } from "../emulators/listen.ts";
import { createLocalServer } from "../emulators/loopback.ts";
import { pageOfPeople, pageOfRecords } from "./identity-pages.ts";

/** The one client that it knows. */
export const sandboxClient = { client_id: "gateway", client_secret: "sandbox-secret" } as const;

/** How long a code is good, and how long a token. */
const codeMs = 60_000;
const tokenSeconds = 300;
const bodyBytesMax = 16_384;
const recordsMax = 100;

/** What a code stands for: a person, and the request that asked for it. */
interface Grant {
  claims: JWTPayload;
  redirect_uri: string;
  challenge: string;
  ends_at: number;
}

/** What a test may play otherwise than a good provider would. */
export interface ProviderPlay {
  /** The ID token in place of the one that it signs. `sign` is how it would. */
  idToken?: (claims: JWTPayload, sign: (claims: JWTPayload) => Promise<string>) => Promise<string>;
  /** What its metadata say beside, or otherwise. */
  metadata?: object;
}

interface PlayedProvider extends Listening {
  /** What DNS says of names, which a test may change. */
  records: Map<string, string[]>;
}

/** Starts a provider on a free port. `play` is read with each request. */
export async function startIdentityProvider(play: ProviderPlay = {}): Promise<PlayedProvider> {
  // Making a key takes a while, and most runs of the machine need none.
  let made: ReturnType<typeof generateKeyPair> | undefined;
  const pair = () => (made ??= generateKeyPair("RS256"));
  const records = new Map<string, string[]>();
  const grants = new Map<string, Grant>();
  let issuer = "";
  const sign = async (claims: JWTPayload) =>
    await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "sandbox" })
      .sign((await pair()).privateKey);
  const tokensOf = async (grant: Grant) => {
    const at = Math.floor(Date.now() / 1000);
    const times = { iat: at, exp: at + tokenSeconds };
    const claims = { ...grant.claims, iss: issuer, aud: sandboxClient.client_id, ...times };
    const id_token = await (play.idToken ?? ((_, signed) => signed(claims)))(claims, sign);
    const access_token = randomBytes(16).toString("base64url");
    return { id_token, access_token, token_type: "Bearer", expires_in: tokenSeconds };
  };
  const answers: Record<string, (request: IncomingMessage, url: URL) => Promise<Answer> | Answer> = {
    "GET /.well-known/openid-configuration": () => json({ ...metadataOf(issuer), ...play.metadata }),
    "GET /jwks": async () => {
      const jwk = await exportJWK((await pair()).publicKey);
      return json({ keys: [{ ...jwk, kid: "sandbox", alg: "RS256", use: "sig" }] });
    },
    "GET /authorize": (_, url) => authorize(url, issuer, grants),
    "POST /token": async (request) => {
      const grant = redeemed(request, new URLSearchParams(await readText(request)), grants);
      return grant ? json(await tokensOf(grant)) : json({ error: "invalid_grant" }, 400);
    },
    "GET /": () => html(pageOfRecords({ issuer, ...sandboxClient }, records)),
    "GET /dns": (_, url) => json({ data: records.get(url.searchParams.get("name") ?? "") ?? [] }),
    "POST /dns": async (request) => {
      const form = new URLSearchParams(await readText(request));
      const [name, value] = [form.get("name")?.trim() ?? "", form.get("value")?.trim() ?? ""];
      if (name === "" || records.size >= recordsMax) return json({ error: "no room" }, 400);
      records.set(name, value === "" ? [] : [value]);
      return { status: 303, headers: { location: "/" }, body: "" };
    },
  };
  const server = createLocalServer((request, response) => {
    response.on("error", () => {});
    const url = new URL(request.url ?? "/", issuer);
    const answer = answers[`${request.method} ${url.pathname}`];
    if (!answer) return send(response, json({ error: "not_found" }, 404));
    Promise.resolve(answer(request, url)).then(
      (reply) => send(response, reply),
      () => response.destroy(),
    );
  });
  const listening = await listen(server, 0);
  issuer = listening.url;
  return { ...listening, records };
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

function json(value: object, status = 200): Answer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

function html(body: string): Answer {
  return { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
  const always = { "cache-control": "no-store", "content-security-policy": policy };
  response.writeHead(status, { ...always, ...headers }).end(body);
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Without a `subject` it shows its page. With one it leads back with a code. */
function authorize({ searchParams: asked }: URL, issuer: string, grants: Map<string, Grant>): Answer {
  const subject = asked.get("subject");
  if (!subject) return html(pageOfPeople(asked));
  const redirect_uri = asked.get("redirect_uri") ?? "";
  const isOurs = asked.get("client_id") === sandboxClient.client_id && URL.canParse(redirect_uri);
  if (!isOurs) return json({ error: "invalid_request" }, 400);
  const code = randomBytes(16).toString("base64url");
  const groups = (asked.get("groups") ?? "").split(/[\s,]+/).filter((each) => each !== "");
  const claims = {
    ...{ sub: subject, email: subject, email_verified: asked.get("verified") !== null, groups },
    ...{ name: asked.get("name") ?? "", nonce: asked.get("nonce") ?? "" },
  };
  const challenge = asked.get("code_challenge") ?? "";
  grants.set(code, { claims, redirect_uri, challenge, ends_at: Date.now() + codeMs });
  const back = new URL(redirect_uri);
  back.search = new URLSearchParams({ code, state: asked.get("state") ?? "", iss: issuer }).toString();
  return { status: 302, headers: { location: back.href }, body: "" };
}

/** The grant of a code, which is good once, for the client and the verifier that it was given for. */
function redeemed(
  { headers }: IncomingMessage,
  form: URLSearchParams,
  grants: Map<string, Grant>,
): Grant | undefined {
  const code = form.get("code") ?? "";
  const grant = grants.get(code);
  grants.delete(code);
  const challenge = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  const isGood =
    grant !== undefined &&
    grant.ends_at > Date.now() &&
    grant.challenge === challenge &&
    grant.redirect_uri === form.get("redirect_uri") &&
    isClient(headers.authorization);
  return isGood ? grant : undefined;
}

/** Whether a header is the client's (RFC 6749 §2.3.1): name and secret are form-encoded before they are joined. */
function isClient(authorization = ""): boolean {
  const joined = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString();
  const [client_id, client_secret] = joined.split(":").map(decodeURIComponent);
  return client_id === sandboxClient.client_id && client_secret === sandboxClient.client_secret;
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const piece of request as AsyncIterable<string>) {
    text += piece;
    if (text.length > bodyBytesMax) throw new Error("the request is too long");
  }
  return text;
}
