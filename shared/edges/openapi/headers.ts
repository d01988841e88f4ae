/** Headers in the document. Their words come from the tables of calls/gateway/headers.md, their forms from here. */

import { limits } from "../../base/limits.ts";
import { headerValues, keyDefaultRows } from "../../books/accounts/key-defaults.ts";
import { integer, oneOf, type Schema, string } from "./schema.ts";

/** A row of a table: what a header is, in words. */
interface Told {
  name: string;
  words: string;
}

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

/** The forms of the headers of a request. */
const requestForms: Readonly<Record<string, Schema>> = {
  "idempotency-key": {
    type: "string",
    maxLength: limits.idempotencyKeyBytesMax,
    pattern: "^[\\x21-\\x7e]{1,255}$",
  },
  "x-gateway-usage": oneOf(["cost"]),
  "x-gateway-route": {
    type: "string",
    maxLength: limits.routeHeaderCharsMax,
    pattern: wishPattern,
    description: "The gateway takes the wishes in any order.",
  },
  "x-gateway-explain": oneOf(["1"]),
  "x-gateway-adapt": oneOf(["1"]),
  "x-gateway-fallback": {
    type: "string",
    // A name has at least one character that is no comma and no space.
    pattern: `^ *[^, ]+(?: *, *[^, ]+){0,${limits.fallbackModelsMax - 1}} *$`,
    description: "Models that take the same call, on chats alone.",
  },
  "x-gateway-cache": oneOf(["off", "exact", "semantic"]),
  "cache-control": string,
  traceparent: string,
  tracestate: string,
  ...Object.fromEntries(keyDefaultRows.map(([, row]) => [row.header, oneOf(headerValues(row))])),
};

/** The forms of the headers of an answer that are no plain text. */
const answerForms: Readonly<Record<string, Schema>> = {
  "x-request-id": { type: "string", pattern: "^req_" },
  "request-id": { type: "string", pattern: "^req_" },
  "x-client-request-id": { type: "string", pattern: "^req_" },
  "x-gateway-attempts": integer,
  "x-gateway-estimate": oneOf(["true"]),
  age: integer,
  "retry-after": integer,
  "x-should-retry": oneOf(["false"]),
};

/** Where an answer has a header, beside those that every answer has. */
export const answerHeaders = {
  every: ["x-request-id"],
  anthropic: ["request-id"],
  ark: ["x-client-request-id"],
  infer: [
    "x-gateway-provider",
    "x-gateway-attempts",
    "x-gateway-route",
    "x-gateway-model",
    "x-gateway-explanation",
    "x-gateway-cost-points",
    "x-gateway-dropped",
    "x-gateway-cache",
    "age",
    "x-gateway-replayed",
  ],
  count: ["x-gateway-provider", "x-gateway-attempts", "x-gateway-route", "x-gateway-estimate"],
} as const;

/** The headers of requests and answers, as OpenAPI's parameters and headers by name. */
interface DocumentedHeaders {
  parameters: Record<string, object>;
  headers: Record<string, object>;
}

/** Reads the tables of calls/gateway/headers.md. Throws for a header of a request that has no form here. */
export function readHeaders(text: string): DocumentedHeaders {
  const [, asked = "", answered = ""] =
    /## What a request may say(.*?)## What an answer says(.*?)\n## /s.exec(text) ?? [];
  const credentials = new Set(["authorization", "x-api-key", "x-goog-api-key"]);
  const parameters = rowsOf(asked)
    .filter(({ name }) => !credentials.has(name))
    .map(({ name, words }) => {
      const { description, ...schema } = requestForms[name] ?? {};
      if (!requestForms[name])
        throw new Error(`the header ${name} has no form in shared/edges/openapi/headers.ts`);
      const told = description === undefined ? words : `${words}. ${String(description)}`;
      return [name, { name, in: "header", description: told, schema }] as const;
    });
  const headers = rowsOf(answered).map(
    ({ name, words }) => [name, { description: words, schema: answerForms[name] ?? string }] as const,
  );
  return { parameters: Object.fromEntries(parameters), headers: Object.fromEntries(headers) };
}

/** The rows of a table of three columns: names, values or places, words. Links become their words. */
function rowsOf(text: string): Told[] {
  return [...text.matchAll(/^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|$/gm)].flatMap(
    ([, names = "", place = "", words = ""]) => {
      const plain = `${sentence(words)} (${place})`.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");
      return [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => ({ name, words: plain }));
    },
  );
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
