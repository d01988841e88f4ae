/**
 * AWS's signature by a role: that of the process, which no secret holds and nobody rotates, or one that it assumes. A
 * role of another account is assumed with the external id that its owner asks for.
 */
import { keptToken, type Lent } from "../../../base/platform/kept-token.ts";
import { describeError } from "../../../base/platform/log.ts";
import { createRequestSigner, type SignRequest } from "../../../base/platform/request-signature.ts";
import type { Credentials } from "../../../base/platform/signature.ts";
import type { AwsRoleFor } from "../../../books/catalog/credential.ts";
import { ProviderFault } from "../fault.ts";
import { awsNameHeader } from "../provider-error.ts";
import type { CloudDeps, CloudKind } from "./credential.ts";
import { askSts, valueIn } from "./sts.ts";

/** The name of a session of an assumed role, as the account's trail shows it. */
const sessionName = "model-gateway";

/** AWS's names of refusals of a session ("Common errors"). It says them with a 403, as it does much else. */
const ofSession = /^(?:ExpiredToken|UnrecognizedClient|InvalidClientTokenId)/;

/** Signs a provider's requests. */
export const awsRole: CloudKind<AwsRoleFor> = (told, _key, deps) => {
  const { role_arn } = told;
  const assumed =
    role_arn === undefined ? undefined : keptToken(() => assume({ ...told, role_arn }, deps), deps.now);
  const session = assumed ?? (async () => await deps.aws.credentials());
  const signers = new Map<string, SignRequest>();
  return async ({ method, url, headers, body }) => {
    const credentials = await session().catch((error: unknown) => {
      throw unobtained(error);
    });
    const { hostname } = new URL(url);
    const place = {
      service: serviceAt(hostname),
      region: told.region ?? regionIn(hostname) ?? deps.aws.region,
    };
    const name = `${place.service} ${place.region}`;
    const sign = signers.get(name) ?? createRequestSigner(place);
    signers.set(name, sign);
    const given = { "content-type": headers["content-type"] ?? "application/json" };
    const signed = sign({ method, url, headers: given, body }, credentials, deps.now());
    return {
      headers: signed,
      confidential: [...secretsIn(credentials), signatureIn(signed)],
      ...(assumed && {
        refused({ headers: told }) {
          if (ofSession.test(told[awsNameHeader] ?? "")) assumed.drop(credentials);
        },
      }),
    };
  };
};

/** What of credentials nobody may learn. AWS's clients put members of their own on the credentials that they are given. */
function secretsIn({ accessKeyId, secretAccessKey, sessionToken }: Credentials): string[] {
  return [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
}

/** The signature, which AWS takes for some minutes. It stands last. */
function signatureIn({ authorization = "" }: Record<string, string>): string {
  return authorization.slice(authorization.lastIndexOf("=") + 1);
}

/** The name of a service in its signatures, by the beginning of its host's; else `bedrock`. */
const services: readonly [host: RegExp, service: string][] = [[/^bedrock-mantle\./, "bedrock-mantle"]];

function serviceAt(hostname: string): string {
  return services.find(([host]) => host.test(hostname))?.[1] ?? "bedrock";
}

/** The region in a host's name, such as `bedrock-runtime.eu-west-1.amazonaws.com`. */
function regionIn(hostname: string): string | undefined {
  return /\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(hostname)?.[1];
}

/** The fault of a channel whose credentials could not be had. No request is the cause of that. */
function unobtained(error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error;
  return new ProviderFault(`no credentials of the role: ${describeError(error)}`, { certain: true });
}

/** Assumes a role for as long as AWS gives one without a longer setting: an hour. */
async function assume(
  { role_arn, external_id, region, organization }: AwsRoleFor & { role_arn: string },
  deps: CloudDeps,
): Promise<Lent<Credentials>> {
  const asked = {
    Action: "AssumeRole",
    RoleArn: role_arn,
    RoleSessionName: sessionName,
    ...(external_id !== undefined && { ExternalId: external_id }),
    ...(organization !== undefined && {
      "Tags.member.1.Key": "organization",
      "Tags.member.1.Value": organization,
    }),
  };
  const answer = await askSts("the role cannot be assumed", asked, region ?? deps.aws.region, deps);
  const [accessKeyId, secretAccessKey, sessionToken, expiration = ""] = [
    "AccessKeyId",
    "SecretAccessKey",
    "SessionToken",
    "Expiration",
  ].map((name) => valueIn(answer, name));
  const ends_at = Date.parse(expiration);
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(ends_at))
    throw new Error("the answer of AssumeRole is not whole");
  return { value: { accessKeyId, secretAccessKey, sessionToken }, ends_at };
}
