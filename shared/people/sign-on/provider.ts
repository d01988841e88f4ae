/**
 * OpenID Connect with an organization's provider (README.md "What is checked"): discovery, the authorization code with
 * PKCE, and the ID token. Loaded when somebody signs on.
 */
import * as client from "openid-client";
import { isAbsent, isObject } from "../../base/json/fields.ts";
import { ClosedAddress } from "../../base/platform/public-address.ts";
import type { SignOnAttempt } from "./attempt.ts";
import { signOnLimits } from "./bounds.ts";
import { fetchProvider, isSandbox, type ProviderFetchDeps } from "./provider-fetch.ts";

/** What of a connection its provider is asked with. */
export interface ProviderClient {
  issuer: string;
  client_id: string;
  secret: string;
  scope: string;
  groups_claim: string;
}

/**
 * Why a provider's part did not succeed. `failed`: it gave no usable answer. `closed`: its address is not public.
 * `refused`: what came back is not good.
 */
export class SignOnError extends Error {
  readonly why: "failed" | "closed" | "refused";

  constructor(why: SignOnError["why"], cause: unknown) {
    const root = rootOf(cause);
    super(root instanceof Error ? root.message : String(root), { cause });
    this.name = "SignOnError";
    this.why = root instanceof ClosedAddress ? "closed" : why;
  }
}

/** The innermost error: the library wraps those of a request in one that says nothing. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** The algorithms that may sign an ID token: each with a key pair, so that no secret of the client could forge one. */
const algorithms: ReadonlySet<string> = new Set([
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
]);

/** A new attempt's values, and the address that its browser goes to. */
export interface BegunAttempt extends Pick<SignOnAttempt, "state" | "nonce" | "verifier"> {
  url: string;
}

/** Begins an attempt. `hint` is the address that its person typed. Rejects with `SignOnError`. */
export async function beginAt(
  provider: ProviderClient,
  redirect_uri: string,
  hint: string | undefined,
  deps: ProviderFetchDeps,
): Promise<BegunAttempt> {
  const [config] = await configurationsOf(provider, deps);
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const verifier = client.randomPKCECodeVerifier();
  const parameters = {
    ...{ redirect_uri, scope: provider.scope, state, nonce },
    ...{ response_type: "code", code_challenge_method: "S256" },
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    ...(hint !== undefined && { login_hint: hint }),
  };
  return { state, nonce, verifier, url: client.buildAuthorizationUrl(config, parameters).href };
}

/** What a provider says of somebody who has signed in there. */
export interface Claims {
  subject: string;
  email: string | null;
  /** The provider has checked that the address is theirs. */
  isVerified: boolean;
  name: string;
  groups: string[];
  /** All claims that are texts, by their names. */
  texts: ReadonlyMap<string, string>;
}

/** What came back to the console's page with the browser. */
export type Returned = Readonly<Record<"code" | "state", string> & { iss?: string }>;

/**
 * Ends an attempt: checks what came back, changes the code for tokens, and checks these. Rejects with `SignOnError`.
 */
export async function finishAt(
  provider: ProviderClient,
  redirect_uri: string,
  { attempt, returned }: { attempt: SignOnAttempt; returned: Returned },
  deps: ProviderFetchDeps,
): Promise<Claims> {
  const [config, another] = await configurationsOf(provider, deps);
  const at = new URL(redirect_uri);
  at.search = new URLSearchParams(returned).toString();
  const checks = {
    ...{ pkceCodeVerifier: attempt.verifier, expectedState: attempt.state, expectedNonce: attempt.nonce },
    idTokenExpected: true,
  };
  const tokens = await client
    .authorizationCodeGrant(config, at, checks)
    // Who does not know the client has not looked at the code, so it is good still.
    .catch((error: unknown) =>
      another && isUnknownClient(error)
        ? client.authorizationCodeGrant(another, at, checks)
        : Promise.reject(error),
    )
    .catch(tellWhy);
  const claims = tokens.claims();
  if (!claims) throw new SignOnError("refused", "there is no ID token");
  // The library looks at `azp` only where there are several audiences.
  if (!isAbsent(claims.azp) && claims.azp !== provider.client_id)
    throw new SignOnError("refused", "the ID token is for another client");
  const isWhole = claims.email !== undefined && claims[provider.groups_claim] !== undefined;
  const told = isWhole ? {} : await userInfo(config, tokens.access_token, claims.sub);
  const more = told as Record<string, unknown>;
  // Whether an address is verified is said where the address is.
  const { email, email_verified } = claims.email === undefined ? more : claims;
  return readClaims({ ...more, ...claims, email, email_verified }, provider.groups_claim);
}

/** Says whether an issuer can be signed on with, by its metadata. Rejects with `SignOnError`. */
export async function checkProvider(provider: ProviderClient, deps: ProviderFetchDeps): Promise<void> {
  await configurationsOf(provider, deps);
}

/**
 * Reads the metadata of the issuer, and gives what to ask it with. There are two where it takes the client's secret in two
 * ways: many providers take the one alone that is set for the client. Refuses a provider that signs with none of our
 * algorithms.
 */
async function configurationsOf(
  { issuer, client_id, secret }: ProviderClient,
  deps: ProviderFetchDeps,
): Promise<[client.Configuration, client.Configuration?]> {
  const url = new URL(issuer);
  const fetch: client.CustomFetch = (address, asked) => fetchProvider(address, asked, deps);
  const insecure = isSandbox(url, deps) ? [client.allowInsecureRequests] : [];
  const found = await client
    .discovery(url, client_id, undefined, client.None(), { [client.customFetch]: fetch, execute: insecure })
    .catch((error: unknown) => Promise.reject(new SignOnError("failed", error)));
  const metadata = found.serverMetadata();
  const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
  const allowed = offered.filter((each) => algorithms.has(each));
  if (allowed.length === 0) throw new SignOnError("failed", "it signs ID tokens with no public key");
  const told = { ...metadata, id_token_signing_alg_values_supported: allowed } as unknown;
  const asking = (authentication: client.ClientAuth): client.Configuration => {
    const known = { client_secret: secret };
    const config = new client.Configuration(told as client.ServerMetadata, client_id, known, authentication);
    config[client.customFetch] = fetch;
    config.timeout = signOnLimits.answerMs / 1000;
    for (const extension of insecure) extension(config);
    // Its signature is checked as well, although the token comes from the provider itself.
    client.enableNonRepudiationChecks(config);
    return config;
  };
  // A provider that names no method takes `client_secret_basic`.
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const [basic, post] = [asking(client.ClientSecretBasic(secret)), asking(client.ClientSecretPost(secret))];
  if (!methods.includes("client_secret_basic")) return [post];
  return methods.includes("client_secret_post") ? [basic, post] : [basic];
}

/** Whether a provider has refused the client itself (RFC 6749 §5.2). */
function isUnknownClient(error: unknown): boolean {
  const { error: told, status } = error as { error?: unknown; status?: number };
  return told === "invalid_client" || status === 401;
}

/** The claims of the userinfo endpoint. Without one, or where it gives none, the ID token says all. */
async function userInfo(config: client.Configuration, token: string, subject: string): Promise<object> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  return await client.fetchUserInfo(config, token, subject).catch(tellWhy);
}

/** A code of the library's own says that what came back is not good. All else is a provider that did not answer. */
function tellWhy(error: unknown): never {
  const { code, status } = error as { code?: string; status?: number };
  const isAnswer = typeof code === "string" && code.startsWith("OAUTH_") && code !== "OAUTH_TIMEOUT";
  const isFault = status !== undefined && status >= 500;
  throw new SignOnError(isAnswer && !isFault ? "refused" : "failed", error);
}

function readClaims(claims: Readonly<Record<string, unknown>>, groupsClaim: string): Claims {
  const { sub, email, email_verified, name, preferred_username } = claims;
  const subject = typeof sub === "string" ? sub : "";
  if (subject === "" || subject.length > signOnLimits.subjectCharsMax)
    throw new SignOnError("refused", "the subject is empty or too long");
  const called = [name, preferred_username].find((each) => typeof each === "string" && each !== "");
  return {
    subject,
    email: typeof email === "string" && email !== "" ? email : null,
    isVerified: email_verified === true,
    name: typeof called === "string" ? called : "",
    groups: groupsOf(claims[groupsClaim]),
    texts: new Map(Object.entries(claims).flatMap(([key, value]) => textUnder(key, value))),
  };
}

function textUnder(key: string, value: unknown): [string, string][] {
  return typeof value === "string" && value !== "" ? [[key, value]] : [];
}

/** Groups by name. Some providers give a single one as a text, and some as objects with a name. */
function groupsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value.slice(0, signOnLimits.groupsMax) : [value];
  return list.flatMap((each) => {
    const name = isObject(each) ? (each.name ?? each.display) : each;
    return typeof name === "string" && name !== "" ? [name] : [];
  });
}
