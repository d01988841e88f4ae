/** AWS's token service, asked as the process's own role: who it is, for clouds that trust AWS's word. */
import { limits } from "../../../base/limits.ts";
import { readAll } from "../../../base/platform/http-client.ts";
import { hostsOf } from "../../../base/platform/partition.ts";
import { createRequestSigner } from "../../../base/platform/request-signature.ts";
import { ProviderFault } from "../fault.ts";
import type { CloudDeps } from "./credential.ts";

const version = "2011-06-15";

/** A request that is signed and not sent. Whoever has it can learn from AWS who signed it. */
interface SignedIdentity {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** AWS's `GetCallerIdentity`, signed as the process's own role with these headers among the signed ones. */
export async function signedIdentity(
  headers: Record<string, string>,
  { aws, now }: Pick<CloudDeps, "aws" | "now">,
): Promise<SignedIdentity> {
  const { region } = aws;
  const url = `https://sts.${region}.${hostsOf(region)}?Action=GetCallerIdentity&Version=${version}`;
  const sign = createRequestSigner({ service: "sts", region });
  const request = { method: "POST", url, headers, body: "" };
  return { method: "POST", url, headers: sign(request, await aws.credentials(), now()) };
}

/**
 * A token in which AWS states the process's own role to an audience (`GetWebIdentityToken`). It counts for five minutes
 * and is exchanged at once. Throws `ProviderFault` where AWS gives none.
 */
export async function webIdentity(audience: string, deps: CloudDeps): Promise<string> {
  const answer = await askSts(
    "AWS does not state the role",
    {
      Action: "GetWebIdentityToken",
      "Audience.member.1": audience,
      // Microsoft takes no other algorithm.
      SigningAlgorithm: "RS256",
      DurationSeconds: "300",
    },
    deps.aws.region,
    deps,
  );
  const token = valueIn(answer, "WebIdentityToken");
  if (token === undefined)
    throw new ProviderFault("AWS does not state the role: no token", { certain: true });
  return token;
}

/**
 * The answer to an action, as XML. Throws `ProviderFault`, which begins with `failure`, where it is refused. Throws
 * `TransportError` where there is no answer.
 */
export async function askSts(
  failure: string,
  asked: Record<string, string>,
  region: string,
  { aws, sts, send, now }: CloudDeps,
): Promise<string> {
  const request = {
    method: "POST",
    url: `${sts ?? `https://sts.${region}.${hostsOf(region)}`}/`,
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: Buffer.from(String(new URLSearchParams({ ...asked, Version: version }))),
  };
  const sign = createRequestSigner({ service: "sts", region });
  const reply = await send({
    ...request,
    headers: sign(request, await aws.credentials(), now()),
    connectMs: limits.credentialMs,
    firstByteMs: limits.credentialMs,
    idleMs: limits.credentialMs,
  });
  const text = (await readAll(reply, limits.tokenAnswerBytesMax)).toString("utf8");
  if (reply.status === 200) return text;
  const code = valueIn(text, "Code") ?? "";
  throw new ProviderFault(`${failure}: ${reply.status} ${code}`.trimEnd(), {
    certain: true,
    // The service itself may be down or busy. Everything else is for the operator.
    ...(reply.status < 500 && reply.status !== 429 && code !== "Throttling" && { account: "key" }),
  });
}

/** The text of an element of an answer. None of those that are read holds a character that is escaped in XML. */
export function valueIn(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]{1,16384})</${name}>`).exec(xml)?.[1];
}
