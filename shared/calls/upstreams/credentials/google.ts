/**
 * Google's access tokens, by the credential file that Google's tools write. The file of a workload identity pool holds no
 * key: the process's own AWS role is exchanged for a token ("Workload Identity Federation with AWS"). The file of a service
 * account holds its private key. The text stands in the providers' secret.
 */
import { objectIn } from "../../../base/json/fields.ts";
import { keptToken, type Lent } from "../../../base/platform/kept-token.ts";
import type { CloudCredentials } from "../../../books/catalog/credential.ts";
import type { CloudDeps, CloudKind } from "./credential.ts";
import { signedIdentity } from "./sts.ts";
import {
  askForAccess,
  askForToken,
  authorizedBy,
  lentToken,
  type TokenDeps,
  unusable,
} from "./token-request.ts";

const service = "Google's token service";
const scope = "https://www.googleapis.com/auth/cloud-platform";
const tokenUrl = "https://oauth2.googleapis.com/token";
const exchangeUrl = "https://sts.googleapis.com/v1/token";
const awsRequest = "urn:ietf:params:aws:token-type:aws4_request";
/** Google gives no longer ones without a change of its organization's policy. */
const lifeSeconds = 3_600;

/** A file of a workload identity pool, as `gcloud iam workload-identity-pools create-cred-config` writes it. */
interface PoolFile {
  /** The pool's provider: `//iam.googleapis.com/projects/…/providers/…`. */
  audience: string;
  subject_token_type: string;
  token_url?: string;
  /** Absent: the pool's identity has been granted the models itself. */
  service_account_impersonation_url?: string;
}

/** A service account's file, as Google's console gives it. */
interface AccountFile {
  client_email: string;
  private_key: string;
  private_key_id?: string;
  token_uri?: string;
}

/** Requests with an access token of Google's, kept until shortly before its end. The key is a credential file. */
export const google: CloudKind<CloudCredentials["google"]> = (_told, file = "", deps) =>
  authorizedBy(
    service,
    keptToken(() => obtain(file, deps), deps.now),
  );

/**
 * A new access token by a credential file. Throws `ProviderFault` where the file cannot be used or Google gives none, and
 * `TransportError` where Google does not answer.
 */
async function obtain(text: string, deps: CloudDeps): Promise<Lent<string>> {
  const fields = objectIn(text);
  switch (fields?.type) {
    case "external_account":
      return await poolToken(textsIn<PoolFile>(fields, ["audience", "subject_token_type"]), deps);
    case "service_account":
      return await accountToken(textsIn<AccountFile>(fields, ["client_email", "private_key"]), deps);
    default:
      throw unusable(service, "the key is no credential file of a service account or workload identity pool");
  }
}

async function poolToken(file: PoolFile, deps: CloudDeps): Promise<Lent<string>> {
  if (file.subject_token_type !== awsRequest)
    throw unusable(service, "the credential file is not for a pool's provider of the kind AWS");
  const lent = await askForAccess(
    {
      service,
      url: file.token_url ?? exchangeUrl,
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        audience: file.audience,
        scope,
        requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
        subject_token: await subjectToken(file.audience, deps),
        subject_token_type: awsRequest,
      }),
    },
    deps,
  );
  const { service_account_impersonation_url: url } = file;
  return url === undefined ? lent : await impersonatedToken(url, lent.value, deps);
}

/** The signed request as Google's service takes it ("Exchange the credential": a GetCallerIdentity token). */
async function subjectToken(audience: string, deps: CloudDeps): Promise<string> {
  // Signed with the pool's provider, so that nobody can use the request at another one.
  const { url, method, headers } = await signedIdentity({ "x-goog-cloud-target-resource": audience }, deps);
  const listed = Object.entries(headers).map(([key, value]) => ({ key, value }));
  return encodeURIComponent(JSON.stringify({ url, method, headers: listed }));
}

/** A service account's token, for whoever may impersonate it (`generateAccessToken`). */
async function impersonatedToken(url: string, token: string, deps: TokenDeps): Promise<Lent<string>> {
  const { accessToken, expireTime } = await askForToken(
    {
      service,
      url,
      headers: { authorization: `Bearer ${token}` },
      body: { scope: [scope], lifetime: `${lifeSeconds}s` },
    },
    deps,
  );
  return lentToken(service, accessToken, Date.parse(String(expireTime)));
}

/** A token for a statement that the service account signs with its own key ("Using OAuth 2.0 for Server to Server"). */
async function accountToken(file: AccountFile, deps: TokenDeps): Promise<Lent<string>> {
  const { token_uri: url = tokenUrl } = file;
  return await askForAccess(
    {
      service,
      url,
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: await signedStatement(file, url, Math.floor(deps.now() / 1000)),
      }),
    },
    deps,
  );
}

async function signedStatement(file: AccountFile, audience: string, at: number): Promise<string> {
  // Loaded here alone: a role needs none of it.
  const { importPKCS8, SignJWT } = await import("jose");
  const { client_email, private_key, private_key_id: kid } = file;
  const key = await importPKCS8(private_key, "RS256").catch(() => {
    throw unusable(service, "the private key of the service account cannot be read");
  });
  return await new SignJWT({ scope })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(kid && { kid }) })
    .setIssuer(client_email)
    .setAudience(audience)
    .setIssuedAt(at)
    .setExpirationTime(at + lifeSeconds)
    .sign(key);
}

/** A file whose values are texts, of which it has these. Throws `ProviderFault` where one is missing. */
function textsIn<File extends object>(
  fields: Record<string, unknown>,
  needed: (keyof File & string)[],
): File {
  const texts = Object.entries(fields).filter(([, value]) => typeof value === "string");
  const file = Object.fromEntries(texts) as File;
  const missing = needed.find((name) => !file[name]);
  if (missing) throw unusable(service, `the credential file has no ${missing}`);
  return file;
}
