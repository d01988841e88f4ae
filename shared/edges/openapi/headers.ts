/** Headers in the document. Their words come from `header-words.ts`, their forms from here. */

import { limits } from "../../base/limits.ts";
import { headerValues, isChosen, keyDefaultRows } from "../../books/accounts/key-defaults.ts";
import { countHeaderNames } from "../../calls/protocols/bedrock-invoke/count-names.ts";
import { answeredHeaders, requestHeaders } from "./header-words.ts";
import * as s from "./schema.ts";

const names = "[a-z][a-z0-9_-]*(?:,[a-z][a-z0-9_-]*)*";
/** Wishes of `x-gateway-route`, each once. A pattern cannot say so of any order, so it has one order. */
const wishPattern = [
  "^",
  ...[
    "sort=(?:latency|throughput|price)",
    `only=${names}`,
    `order=${names}`,
    `ignore=${names}`,
    "fallbacks=(?:off|on)",
  ].map((wish) => `(?:${wish}(?:; ?|$))?`),
  "$",
].join("");

const requestForms: Readonly<Record<string, s.Schema>> = {
  "idempotency-key": {
    type: "string",
    maxLength: limits.idempotencyKeyBytesMax,
    pattern: "^[\\x21-\\x7e]{1,255}$",
  },
  "x-gateway-usage": s.oneOf(["cost"]),
  "x-gateway-route": {
    type: "string",
    maxLength: limits.routeHeaderCharsMax,
    pattern: wishPattern,
    description: "The gateway takes the wishes in any order.",
  },
  "x-gateway-explain": s.oneOf(["1"]),
  "x-gateway-adapt": s.oneOf(["1"]),
  "x-gateway-fallback": {
    type: "string",
    // A name has at least one character that is no comma and no space.
    pattern: `^ *[^, ]+(?: *, *[^, ]+){0,${limits.fallbackModelsMax - 1}} *$`,
    description: "Models that take the same call, on chats alone.",
  },
  "x-gateway-cache": s.oneOf(["off", "exact", "semantic"]),
  "cache-control": s.string,
  traceparent: s.string,
  tracestate: s.string,
  ...Object.fromEntries(
    keyDefaultRows.map(([, row]) => [
      row.header,
      isChosen(row) ? s.oneOf(headerValues(row)) : s.such(s.string, { pattern: row.pattern }),
    ]),
  ),
};

/** The forms of the headers of an answer that are no plain text. */
const answerForms: Readonly<Record<string, s.Schema>> = {
  "x-request-id": { type: "string", pattern: "^req_" },
  "request-id": { type: "string", pattern: "^req_" },
  "x-client-request-id": { type: "string", pattern: "^req_" },
  "x-amzn-requestid": { type: "string", pattern: "^req_" },
  "x-gateway-attempts": s.integer,
  "x-gateway-max-tokens": s.integer,
  "x-gateway-estimate": s.oneOf(["true"]),
  ...Object.fromEntries(countHeaderNames.map((name) => [name, s.integer])),
  age: s.integer,
  "retry-after": s.integer,
  "x-should-retry": s.oneOf(["false"]),
};

/** Where an answer has a header, beside those that every answer has. */
export const answerHeaders = {
  every: ["x-request-id"],
  anthropic: ["request-id"],
  ark: ["x-client-request-id"],
  aws: ["x-amzn-requestid"],
  infer: [
    "x-gateway-provider",
    "x-gateway-attempts",
    "x-gateway-route",
    "x-gateway-model",
    "x-gateway-explanation",
    "x-gateway-cost-points",
    "x-gateway-dropped",
    "x-gateway-max-tokens",
    "x-gateway-cache",
    "age",
    "x-gateway-replayed",
  ],
  invoked: countHeaderNames,
  count: ["x-gateway-provider", "x-gateway-attempts", "x-gateway-route", "x-gateway-estimate"],
} as const;

/** The headers of requests and answers, as OpenAPI's parameters and headers by name. */
interface DocumentedHeaders {
  parameters: Record<string, object>;
  headers: Record<string, object>;
}

/** Makes them. Throws for a header of a request that has no form here. */
export function documentedHeaders(): DocumentedHeaders {
  const credentials = new Set(["authorization", "x-api-key", "x-goog-api-key"]);
  const parameters = told(requestHeaders)
    .filter(([name]) => !credentials.has(name))
    .map(([name, words]) => {
      const { description, ...schema } = requestForms[name] ?? {};
      if (!requestForms[name])
        throw new Error(`the header ${name} has no form in shared/edges/openapi/headers.ts`);
      const all = description === undefined ? words : `${words}. ${String(description)}`;
      return [name, { name, in: "header", description: all, schema }] as const;
    });
  const headers = told(answeredHeaders).map(
    ([name, words]) => [name, { description: words, schema: answerForms[name] ?? s.string }] as const,
  );
  return { parameters: Object.fromEntries(parameters), headers: Object.fromEntries(headers) };
}

/** Each name with its words as a sentence. Links become their words. */
function told(rows: typeof requestHeaders): [name: string, words: string][] {
  return rows.flatMap(({ names: all, place, what }) => {
    const words = `${what.charAt(0).toUpperCase()}${what.slice(1)} (${place})`;
    return all.map((name): [string, string] => [name, words.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")]);
  });
}
