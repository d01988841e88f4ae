/**
 * Azure's credentials, by the key in the providers' secret: an API key, which is sent as it is, or an app registration,
 * for which Microsoft Entra gives access tokens. The registration is the JSON that `az ad sp create-for-rbac --json-auth`
 * writes. Without `clientSecret` the app trusts the process's own AWS role, and AWS states who we are ("Workload identity
 * federation").
 */
import { type Fields, objectIn } from "../../../base/json/fields.ts";
import { keptToken, type Lent } from "../../../base/platform/kept-token.ts";
import type { CloudCredentials } from "../../../books/catalog/credential.ts";
import type { CloudDeps, CloudKind } from "./credential.ts";
import { webIdentity } from "./sts.ts";
import { askForAccess, authorizedBy, unusable } from "./token-request.ts";

const service = "Microsoft's token service";
const authority = "https://login.microsoftonline.com";
/** Whom a token of another identity provider must be meant for. */
const exchangeAudience = "api://AzureADTokenExchange";
/** What the token is for: all models of Azure, of any maker. */
const modelsScope = "https://cognitiveservices.azure.com/.default";
const jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Requests with an API key of Azure's, or with a token that is kept until shortly before its end. */
export const azure: CloudKind<CloudCredentials["azure"]> = (_told, key = "", deps) =>
  key.startsWith("{")
    ? authorizedBy(
        service,
        keptToken(() => obtain(key, deps), deps.now),
      )
    : () => ({ headers: { "api-key": key }, confidential: [key] });

/**
 * A new access token by an app registration. Throws `ProviderFault` where the registration cannot be used or Microsoft
 * gives none, and `TransportError` where it does not answer.
 */
async function obtain(registration: string, deps: CloudDeps): Promise<Lent<string>> {
  const { tenantId, clientId, clientSecret, activeDirectoryEndpointUrl } = objectIn(registration) ?? {};
  if (!isName(tenantId) || !isName(clientId))
    throw unusable(service, "the key is no app registration with tenantId and clientId");
  const base = typeof activeDirectoryEndpointUrl === "string" ? activeDirectoryEndpointUrl : authority;
  return await askForAccess(
    {
      service,
      url: `${base.replace(/\/$/, "")}/${tenantId}/oauth2/v2.0/token`,
      body: new URLSearchParams({
        client_id: clientId,
        scope: modelsScope,
        grant_type: "client_credentials",
        ...(await proof(clientSecret, deps)),
      }),
    },
    deps,
  );
}

/** What proves that we are the app: its secret, or AWS's word for our role. */
async function proof(clientSecret: Fields[string], deps: CloudDeps): Promise<Record<string, string>> {
  if (typeof clientSecret === "string" && clientSecret !== "") return { client_secret: clientSecret };
  const client_assertion = await webIdentity(exchangeAudience, deps);
  return { client_assertion_type: jwtBearer, client_assertion };
}

/** A tenant is a GUID or a domain, and an app a GUID. Neither may change the address that they stand in. */
function isName(value: unknown): value is string {
  return typeof value === "string" && /^[\w.-]{1,253}$/.test(value) && /\w/.test(value);
}
