/** Why a cloud gives no credential, in words that say what to do. */
import type { Provider } from "#shared/books/catalog/catalog.ts";
import { type CheckFinding, fail, unknown } from "./check.ts";

/** One reason, by what the error of a credential says. The first row that fits counts. */
interface Reason {
  auth: Provider["auth"];
  /** Only where the credential is had by an AWS role. */
  byRole?: true;
  says: RegExp;
  /** What to do. Without it the gateway's role may be taken where this command's is not. */
  action?: string;
}

const roleIsOther = "only the gateway's own role can show it: call a model, and read what its log line names";

const reasons: readonly Reason[] = [
  {
    auth: "google",
    says: /no credential file|has no |cannot be read|of the kind AWS/,
    action: "put the whole file that Google's tool wrote: secret put NAME < google.json",
  },
  {
    auth: "google",
    byRole: true,
    says: /status 400/,
    action:
      "compare the AWS account of the pool's provider with the stage's, and its condition with the role",
  },
  {
    auth: "google",
    byRole: true,
    says: /status 404/,
    action: "the service account that the file names is not there: write the file anew",
  },
  { auth: "google", byRole: true, says: /status 40[13]/ },
  {
    auth: "google",
    says: /status 40[013]/,
    action: "Google does not know the key of the service account: make a new one, and put its file",
  },
  {
    auth: "azure",
    says: /no app registration/,
    action: "put the registration with tenantId and clientId, or an API key: secret put NAME",
  },
  {
    auth: "azure",
    byRole: true,
    says: /OutboundWebIdentityFederationDisabled/,
    action: "allow it once in the account: aws iam enable-outbound-web-identity-federation",
  },
  { auth: "azure", byRole: true, says: /AWS does not state the role: 40[03]/ },
  {
    auth: "azure",
    byRole: true,
    says: /unauthorized_client|invalid_tenant/,
    action: "compare tenantId and clientId with the app's",
  },
  { auth: "azure", byRole: true, says: /status 40[01]/ },
  {
    auth: "azure",
    says: /status 40[01]/,
    action: "compare tenantId, clientId and clientSecret with the app's; a secret may have ended",
  },
  { auth: "aws_role", says: /AccessDenied|role cannot be assumed: 40[03]/ },
];

/** The finding where a credential cannot be had. `byRole`: it is had by an AWS role, and the gateway has another one. */
export function noCredential(auth: Provider["auth"], byRole: boolean, said: string): CheckFinding {
  const reason = reasons.find(
    (each) => each.auth === auth && (!each.byRole || byRole) && each.says.test(said),
  );
  const seen = `no credential: ${said}`;
  if (!reason) return unknown(seen, "run the command again");
  if (reason.action !== undefined) return fail(seen, reason.action);
  return unknown(`${seen}, to the role of this command`, roleIsOther);
}
