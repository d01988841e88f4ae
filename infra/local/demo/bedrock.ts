/** The demo provider's Amazon Bedrock: its paths, and who may call them. Written from AWS's documentation and its SDK. */
import { countTokens, invoke, invokeWithResponseStream } from "./bedrock-invoke.ts";
import { invokeMaker } from "./bedrock-makers.ts";
import { converse, converseStream } from "./converse.ts";
import { type DemoBody, type Responder, sendJson } from "./reply.ts";
import type { DemoHeaders } from "./strictness/rule.ts";

const operations: Record<string, (model: string) => Responder> = {
  converse: () => converse,
  "converse-stream": () => converseStream,
  invoke: (model) => invokeMaker(model) ?? invoke(model),
  "invoke-with-response-stream": invokeWithResponseStream,
  "count-tokens": countTokens,
};

/** Who answers at a path of Bedrock; undefined where it is none. A request that nobody has signed is refused. */
export function bedrockResponder(path: string, headers: DemoHeaders): Responder | undefined {
  const [, model = "", operation = ""] = /^\/model\/([^/]+)\/([a-z-]+)$/.exec(path) ?? [];
  const responder = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (!responder) return undefined;
  const [error, message] = unauthorized(headers) ?? [];
  if (error === undefined) return responder(decodeURIComponent(model));
  return async (_, response) =>
    sendJson(response, 403, { message } as DemoBody, { "x-amzn-errortype": error });
}

/** A signature of version 4 for Bedrock. Its key and its value are not compared: any account is welcome. */
const signature =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/[a-z\d-]+\/bedrock\/aws4_request, ?SignedHeaders=([a-z\d;-]+), ?Signature=[\da-f]{64}$/;

/** AWS's name for what a request lacks that shows who calls, and its words; undefined for one that lacks nothing. */
function unauthorized(headers: DemoHeaders): [error: string, message: string] | undefined {
  const { authorization, "x-amz-date": date = "" } = headers;
  if (authorization === undefined)
    return ["MissingAuthenticationTokenException", "Missing Authentication Token"];
  if (/^Bearer \S/.test(String(authorization))) return undefined;
  const [, day = "", signed = ""] = signature.exec(String(authorization)) ?? [];
  const names = signed.split(";");
  const isWhole = ["host", "x-amz-date"].every((name) => names.includes(name));
  if (isWhole && String(date).startsWith(`${day}T`) && names.every((name) => headers[name] !== undefined))
    return undefined;
  return ["IncompleteSignatureException", "The request signature does not conform to AWS standards."];
}
