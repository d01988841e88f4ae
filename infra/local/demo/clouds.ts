/**
 * How Vertex AI and Azure serve the protocols of other vendors: at their own paths, and with their own rules for bodies.
 * Their token services are here too. Written from the clouds' documentation and from their SDKs.
 */
import { countTokens, messages } from "./anthropic.ts";
import { ratedCompletions } from "./openai.ts";
import { type DemoBody, type Responder, sendJson } from "./reply.ts";
import { embeddings } from "./vectors.ts";
import { vertexVectors } from "./vertex-vectors.ts";

/** What a path of a cloud begins with, where an SDK writes it and not the base URL of the catalog. */
const project = `(?:(?:/v1(?:beta1)?)?/projects/[^/]+/locations/[^/]+)?`;

const claude = new RegExp(`^${project}/publishers/anthropic/models/([^/]+):(rawPredict|streamRawPredict)$`);
const gemini = new RegExp(`^${project}/publishers/google/models/[^/]+(?=:\\w+$)`);
const google = new RegExp(`^${project}/publishers/google/models/([^/]+):(\\w+)$`);

/** The path of a Gemini call without what names its model: `:generateContent`. Other paths stay as they are. */
export function geminiPath(path: string): string {
  return path.replace(/^\/v1beta\/models\/.*(?=:\w+$)/, "").replace(gemini, "");
}

/** Who answers at a path of a cloud; undefined where it is none of theirs. */
export function cloudResponder(path: string, query: string): Responder | undefined {
  const [, name, action] = claude.exec(path) ?? [];
  if (name !== undefined) return claudeOnVertex(decodeURIComponent(name), action === "streamRawPredict");
  const [, model, method = ""] = google.exec(path) ?? [];
  const vectors = model === undefined ? undefined : vertexVectors(decodeURIComponent(model), method);
  if (vectors) return vectors;
  const [, call] = /^\/openai\/deployments\/[^/]+(\/.*)$/.exec(path) ?? [];
  if (call !== undefined) return onAzure(deployed[call], new URLSearchParams(query));
  return tokenServices.find(([pattern]) => pattern.test(path))?.[1];
}

/** The first is documented ("Request predictions with Claude models"). Anthropic's SDK for Vertex sends the others. */
const versions: ReadonlySet<unknown> = new Set(["vertex-2023-10-16", "2023-06-01", "2026-10-21"]);

/** Anthropic's calls on Vertex AI: the model stands in the path, and the version of the API in the body. */
function claudeOnVertex(name: string, streams: boolean): Responder {
  const isCount = name === "count-tokens";
  return async (body, response, pauseMs) => {
    const problems = [
      [!versions.has(body.anthropic_version), "anthropic_version: Field required"],
      [isCount && body.model === undefined, "model: Field required"],
      [!isCount && body.model !== undefined, "model: Extra inputs are not permitted"],
      [!isCount && streams !== (body.stream === true), "stream: does not agree with the method"],
    ] as const;
    const found = problems.find(([isWrong]) => isWrong);
    if (found) {
      const error = { type: "invalid_request_error", message: found[1] };
      return sendJson(response, 400, { type: "error", error });
    }
    await (isCount ? countTokens : messages)({ model: name, ...body }, response, pauseMs);
  };
}

/** What an Azure deployment answers, by the end of the path. */
const deployed: Record<string, Responder> = {
  "/chat/completions": ratedCompletions,
  "/embeddings": embeddings,
};

/** Azure knows no path without a version of its API. */
function onAzure(responder: Responder | undefined, query: URLSearchParams): Responder {
  if (responder && query.get("api-version")) return responder;
  return async (_, response) =>
    sendJson(response, 404, { error: { code: "404", message: "Resource not found" } });
}

const lifeSeconds = 3_600;

/** Token services, by their paths. Each takes what it documents, and refuses anything else in OAuth's form. */
const tokenServices: [path: RegExp, responder: Responder][] = [
  [/^\/google\/exchange$/, tokenFor(isExchange, { access_token: "demo-exchanged", token_type: "Bearer" })],
  [
    /^\/google\/[^/]+:generateAccessToken$/,
    async (_, response) => {
      const expireTime = new Date(Date.now() + lifeSeconds * 1000).toISOString();
      sendJson(response, 200, { accessToken: "demo-impersonated", expireTime });
    },
  ],
  [
    /^\/azure\/[^/]+\/oauth2\/v2\.0\/token$/,
    tokenFor(isClient, { access_token: "demo-entra", token_type: "Bearer" }),
  ],
];

function tokenFor(isWhole: (form: DemoBody) => boolean, token: object): Responder {
  return async (form, response) => {
    if (isWhole(form)) sendJson(response, 200, { ...token, expires_in: lifeSeconds });
    else sendJson(response, 400, { error: "invalid_request", error_description: "a field is missing" });
  };
}

/** Google's "Exchange a token": the subject is a request that AWS would answer. */
function isExchange({ grant_type, audience, subject_token }: DemoBody): boolean {
  const isGrant = grant_type === "urn:ietf:params:oauth:grant-type:token-exchange";
  const signed = decodeURIComponent(String(subject_token));
  return isGrant && typeof audience === "string" && signed.includes("Action=GetCallerIdentity");
}

/** Microsoft's "client credentials flow": with a secret, or with a statement of another identity provider. */
function isClient({ grant_type, client_id, scope, client_secret, client_assertion }: DemoBody): boolean {
  const isProven = client_secret !== undefined || client_assertion !== undefined;
  return grant_type === "client_credentials" && client_id !== undefined && scope !== undefined && isProven;
}
