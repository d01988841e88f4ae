/** One operation of the document, from the rows of the table of routes that it stands for. */
import type { CountRoute, ErrorStyle, InferenceRoute, Route } from "../../base/http/routes.ts";
import { eventStreamType } from "../../base/sse/event-message.ts";
import type { ErrorResponses } from "./errors.ts";
import { answerHeaders } from "./headers.ts";
import {
  countErrors,
  type Described,
  inferErrors,
  keyErrors,
  listQuery,
  operations,
  pageOperations,
} from "./operations.ts";
import { inQuery, type Parameter } from "./parameters.ts";
import type { Place } from "./places.ts";
import { replies, streams } from "./replies.ts";
import { editForm, requests } from "./requests.ts";
import * as s from "./schema.ts";
import { everywhere, onGemini, sessionOf } from "./security.ts";

/** Describes the operation of a method and a path. */
export function describeOperation(place: Place, errors: ErrorResponses): object {
  const [row] = place.rows as [Route, ...Route[]];
  if (row.operation === "page") return pageOperation(place, errors);
  const styles = [...new Set(place.rows.map(({ style }) => style))];
  if (row.operation === "infer" || row.operation === "count") return callOperation(place, row, errors);
  const isPublic = row.operation === "list_public_models" || row.operation === "retrieve_public_model";
  const described: Described = operations[row.operation];
  const isList = row.operation === "list_models" || row.operation === "list_public_models";
  const query = [...(described.query ?? []), ...(isList ? pageQuery(styles) : [])];
  const isPaged = isList && query.length > 0;
  const session = sessionOf(row.operation);
  const keys = [
    ...(isPublic ? (["internal", "global_rate_limited"] as const) : keyErrors),
    ...new Set([...session.errors, ...described.errors]),
    ...(isPaged ? (["invalid_request"] as const) : []),
  ];
  const once = row.operation === "create_task" ? [parameterRef("idempotency-key")] : [];
  return {
    ...headOf(place, described),
    security: isPublic ? [] : [...keySecurity(styles), ...session.security],
    parameters: [
      ...pathParameters(place, described.parameter),
      ...clientHeaders(place),
      ...once,
      ...query.map(inQuery),
    ],
    ...(described.request && { requestBody: jsonBody(described.request) }),
    responses: {
      200: {
        description: "The answer.",
        headers: headersOf(styles, []),
        content: {
          "application/json": { schema: replySchema(described, row, styles) },
          ...(described.csv && { "text/csv": { schema: s.string } }),
        },
      },
      ...errors.responsesOf(styles, keys),
    },
    "x-error-style": styles,
  };
}

function keySecurity(styles: readonly ErrorStyle[]): object[] {
  return styles.includes("gemini") && styles.length === 1 ? onGemini : everywhere;
}

function headOf({ method, path }: Place, { tag, summary }: Pick<Described, "tag" | "summary">): object {
  const words = path
    .replace(/[{}]/g, "")
    .split(/[/:._-]/)
    .filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return { operationId: `${method.toLowerCase()}${name || "Root"}`, tags: [tag], summary };
}

function pathParameters({ path }: Place, description: string | undefined): object[] {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return [];
  return [{ name, in: "path", required: true, description, schema: { type: "string", minLength: 1 } }];
}

/** On some paths a header of a vendor's client chooses the form of answers and errors. */
function clientHeaders({ rows }: Place): object[] {
  const clients = rows.flatMap(({ client }) => client ?? []);
  return [
    ...(clients.includes("anthropic")
      ? [
          {
            name: "anthropic-version",
            in: "header",
            description: "Asks for Anthropic's form.",
            schema: s.string,
          },
        ]
      : []),
    ...(clients.includes("gemini")
      ? [
          {
            name: "x-goog-api-key",
            in: "header",
            description: "The key, and asks for Google's form.",
            schema: s.string,
          },
        ]
      : []),
  ];
}

/** The pages of a list of models. Where a path has several forms, each reads its own parameters, and not the others'. */
function pageQuery(styles: readonly ErrorStyle[]): Parameter[] {
  const parameters = styles.flatMap(listQuery);
  const unique = parameters.filter(
    ({ name }, at) => parameters.findIndex((other) => other.name === name) === at,
  );
  return styles.length === 1 ? unique : unique.map((parameter) => ({ ...parameter, schema: s.string }));
}

function parameterRef(name: string): object {
  return { $ref: `#/components/parameters/${name}` };
}

function jsonBody({ schema, example, optional }: NonNullable<Described["request"]>): object {
  return {
    required: optional !== true,
    content: { "application/json": { schema, examples: { plain: { value: example } } } },
  };
}

/** The headers of an answer in these styles, and these more. */
function headersOf(styles: readonly ErrorStyle[], more: readonly string[]): object {
  const names = [
    ...answerHeaders.every,
    ...(styles.some((style) => style.startsWith("anthropic")) ? answerHeaders.anthropic : []),
    ...(styles.some((style) => style === "volcengine" || style === "video") ? answerHeaders.ark : []),
    ...(styles.includes("aws") ? answerHeaders.aws : []),
    ...more,
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The schema of an answer of ours. Lists of models have the form of each style. */
function replySchema({ reply }: Described, row: Route, styles: readonly ErrorStyle[]): s.Schema {
  if (reply) return reply;
  const kind = row.operation.startsWith("list_") ? "ModelList" : "Model";
  const forms = [...new Set(styles.map((style) => `${formOf(style)}${kind}`))].map(s.ref);
  return forms.length === 1 ? (forms[0] as s.Schema) : { anyOf: forms };
}

/** The form of models that the clients of a style read (edges/api/models.ts). */
function formOf(style: ErrorStyle): string {
  if (style === "standard") return "Public";
  if (style === "gemini") return "Gemini";
  return style.startsWith("anthropic") ? "Anthropic" : "Openai";
}

function pageOperation({ method, path, rows }: Place, errors: ErrorResponses): object {
  const page = pageOperations[path];
  if (!page) throw new Error(`the page ${path} has no description in shared/edges/openapi/operations.ts`);
  const { summary, description, content } = page;
  const body = method === "HEAD" ? {} : { content };
  const keys = path.includes("{") ? (["not_found", "internal"] as const) : (["internal"] as const);
  const styles = rows.map(({ style }) => style);
  const headers = headersOf(styles, []);
  const answers = {
    200: { description: "The page.", headers, ...body },
    ...(path === "/health" && { 503: { description: "The process ends soon.", headers, ...body } }),
    ...(path !== "/health" && {
      304: { description: "The client has it already (`if-none-match`).", headers },
    }),
  };
  return {
    ...headOf({ method, path, rows }, { tag: "Gateway", summary }),
    ...(description && { description }),
    security: [],
    parameters: pathParameters({ method, path, rows }, "A name that the page refers to."),
    responses: {
      ...answers,
      ...(method === "HEAD" ? headErrors(errors, styles, keys) : errors.responsesOf(styles, keys)),
    },
    "x-error-style": styles,
  };
}

/** Errors of HEAD, which have no body. */
function headErrors(
  errors: ErrorResponses,
  styles: readonly ErrorStyle[],
  keys: Parameters<ErrorResponses["responsesOf"]>[1],
): object {
  const names = Object.keys(errors.responsesOf(styles, keys));
  return Object.fromEntries(names.map((status) => [status, { description: "As for GET, without a body." }]));
}

type CallingRoute = InferenceRoute | CountRoute;

const tagsOf = (protocol: CallingRoute["protocol"]): string =>
  /embedding|multimodal/.test(protocol) ? "Embeddings" : /image/.test(protocol) ? "Images" : "Chat";

const summaries: Readonly<Record<CallingRoute["protocol"], string>> = {
  "openai-chat": "A chat, in the protocol of OpenAI",
  "openai-responses": "A response, in the protocol of OpenAI",
  anthropic: "A message, in the protocol of Anthropic",
  "bedrock-converse": "A message, in the protocol of Amazon Bedrock's Converse",
  "bedrock-invoke": "A message, in the protocol of Amazon Bedrock with Anthropic's body",
  "anthropic-count": "Count a message's tokens, free",
  gemini: "An answer, in the protocol of Gemini",
  "gemini-count": "Count a request's tokens, free",
  "gemini-embedding": "One embedding, in the protocol of Gemini",
  "gemini-embeddings": "Several embeddings, in the protocol of Gemini",
  "openai-embeddings": "Embeddings, in the protocol of OpenAI",
  "ark-multimodal": "One vector of texts, pictures and clips, in the protocol of Ark",
  "openai-images": "Pictures, in the protocol of OpenAI",
  "ark-images": "Pictures, in the protocol of Ark",
  "zhipu-images": "Pictures, in the protocol of Zhipu",
  "openai-image-edits": "Edit a picture, in the protocol of OpenAI",
  "ark-image-edits": "Edit a picture, in the protocol of Ark",
};

/** The headers of a call, by the names of their parameters. */
const wishes = [
  "x-gateway-usage",
  "x-gateway-allow-drop",
  "x-gateway-route",
  "x-gateway-explain",
  "x-gateway-adapt",
  "x-gateway-cache-points",
  "x-gateway-on-disconnect",
  "x-gateway-cache",
  "cache-control",
  "traceparent",
  "tracestate",
];

/** A call that goes to a provider. */
function callOperation(place: Place, row: CallingRoute, errors: ErrorResponses): object {
  const { protocol, style } = row;
  const { model } = requests[protocol];
  const isCount = row.operation === "count";
  const named = pathParameters(place, "The model's id or alias. It may hold slashes.");
  const alt = place.path.endsWith(":streamGenerateContent")
    ? [
        {
          name: "alt",
          in: "query",
          description: "`sse`: events. Without it, one JSON array.",
          schema: s.string,
        },
      ]
    : [];
  const counted = place.path.endsWith("/invoke") ? answerHeaders.invoked : [];
  const headers = headersOf([style], [...(isCount ? answerHeaders.count : answerHeaders.infer), ...counted]);
  return {
    ...headOf(place, { tag: tagsOf(protocol), summary: summaries[protocol] }),
    security: style === "gemini" ? onGemini : everywhere,
    parameters: [
      ...named.map((parameter) => ({ ...parameter, ...(model && { example: model }) })),
      ...alt,
      ...(isCount ? [] : ["idempotency-key"]).concat(wishes).map(parameterRef),
    ],
    requestBody: callBody(protocol),
    responses: {
      200: { description: "The provider's answer.", headers, content: callContent(place, protocol) },
      ...errors.responsesOf([style], [...keyErrors, ...(isCount ? countErrors : inferErrors)]),
    },
    "x-body": "vendor",
    "x-protocol": protocol,
    "x-error-style": [style],
  };
}

function callBody(protocol: CallingRoute["protocol"]): object {
  const json = jsonBody({ schema: s.ref(`Request_${protocol}`), example: requests[protocol].example });
  if (!protocol.endsWith("image-edits")) return json;
  const { content } = json as { content: object };
  return { ...json, content: { ...content, "multipart/form-data": { schema: editForm } } };
}

function callContent({ path }: Place, protocol: CallingRoute["protocol"]): object {
  const events = (description: string, type = "text/event-stream") => ({
    [type]: { schema: { type: "string", description } },
  });
  if (path.endsWith(":streamGenerateContent")) {
    return {
      ...events("`data:` lines, each a part of the answer. The last one has the usage."),
      "application/json": { schema: s.list(s.anything) },
    };
  }
  const stream = streams[protocol];
  if (protocol === "bedrock-converse" || protocol === "bedrock-invoke") {
    return path.endsWith("-stream")
      ? events(stream ?? "", eventStreamType)
      : { "application/json": { schema: replies[protocol] } };
  }
  return { "application/json": { schema: replies[protocol] }, ...(stream !== undefined && events(stream)) };
}
