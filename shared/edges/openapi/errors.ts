/** Errors in the document: the schema of each style (contract §7.1), and examples by the gateway's own renderer. */
import {
  type ErrorDetail,
  type ErrorKey,
  type ErrorType,
  errorCodes,
  isRetryUseless,
  statusOf,
} from "../../base/errors.ts";
import { errorBody } from "../../base/http/error-styles.ts";
import type { ErrorStyle } from "../../base/http/routes.ts";
import * as s from "./schema.ts";

const types: readonly ErrorType[] = [...new Set(Object.values(errorCodes).map(({ type }) => type))];
const ours = { type: "string", enum: types };
const code = s.such(s.integer, "One of `x-errors`.");
const told = {
  gateway_code: s.such(s.integer, "Our code, where a name of the provider stands in its place."),
  upstream_code: s.such(s.string, "The provider's own code."),
};
/** The body of an error in our own form, with these members where they are known. */
export const standardError = (optional: Record<string, s.Schema>): s.Schema =>
  s.closed({ error: s.closed({ type: ours, code, message: s.string }, optional) });
const failed = { type: s.just("error") };
const requestId = { request_id: s.string };

/** The schemas of the bodies, by their names in the document. */
const bodies: Readonly<Record<ErrorStyle, s.Schema>> = {
  standard: standardError(told),
  openai: s.closed({
    error: s.closed(
      { type: s.string, code: s.string, message: s.string, param: { type: ["string", "null"] } },
      told,
    ),
  }),
  anthropic: s.closed({ ...failed, error: s.closed({ type: s.string, message: s.string }, told) }, requestId),
  anthropic_superset: s.closed(
    {
      ...failed,
      error: s.closed({ type: s.string, code, message: s.string }, told),
    },
    requestId,
  ),
  volcengine: s.closed({
    error: s.closed({ code: s.string, message: s.string, param: s.string, type: s.string }, told),
  }),
  gemini: s.closed({
    error: s.closed(
      { code: s.such(s.integer, "The HTTP status."), message: s.string, status: s.string },
      { details: s.list(s.object({})), ...told },
    ),
  }),
  aws: s.closed({ message: s.string, code, type: ours }, told),
  video: s.closed({ error: s.closed({ code: s.string, message: s.string }, told) }),
  problem: s.closed({
    type: s.just("about:blank"),
    title: s.string,
    status: s.integer,
    detail: s.string,
    errors: s.list(s.closed({ message: s.string, code, type: ours }, { location: s.string })),
  }),
};

const nameOf = (style: ErrorStyle) =>
  `Error_${style.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;

export const errorSchemas: Readonly<Record<string, s.Schema>> = Object.fromEntries(
  Object.entries(bodies).map(([style, schema]) => [nameOf(style as ErrorStyle), schema]),
);

/** The codes that are answered with, by default all of them, for `x-errors`. */
export function errorTable(keys = Object.keys(errorCodes) as ErrorKey[]): object[] {
  return keys.map((key) => ({
    code: errorCodes[key].code,
    status: statusOf(key),
    type: errorCodes[key].type,
    message: errorCodes[key].message,
    retry: !isRetryUseless(key),
  }));
}

/** What errors say where that is not what the table says. */
export type ErrorDetails = Readonly<Partial<Record<ErrorKey, ErrorDetail>>>;

/** An example body of an error. Anthropic's styles have the id of the request. */
function exampleOf(style: ErrorStyle, key: ErrorKey, details: ErrorDetails): object {
  const isAnthropic = style.startsWith("anthropic");
  const id = isAnthropic && { request_id: "req_01KAJ2X5P00000000000000000" };
  return errorBody(style, key, { ...details[key], ...id });
}

function contentOf(
  styles: readonly ErrorStyle[],
  keys: readonly ErrorKey[],
  details: ErrorDetails = {},
): object {
  const schemas = styles.map((style) => ({ $ref: `#/components/schemas/${nameOf(style)}` }));
  const examples = styles.flatMap((style) =>
    keys.map((key) => [
      styles.length === 1 ? key : `${key}_${style}`,
      { summary: wordsOf(key, details), value: exampleOf(style, key, details) },
    ]),
  );
  const type = styles.includes("problem") ? "application/problem+json" : "application/json";
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return { [type]: { schema, ...(keys.length > 0 && { examples: Object.fromEntries(examples) }) } };
}

const wordsOf = (key: ErrorKey, details: ErrorDetails) =>
  `${errorCodes[key].code}: ${details[key]?.message ?? errorCodes[key].message}`;

const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });

function headersOf(styles: readonly ErrorStyle[], status: number, keys: readonly ErrorKey[]): object {
  return {
    ...header("x-request-id"),
    ...(styles.includes("aws") && header("x-amzn-errortype")),
    ...(status === 401 && header("www-authenticate")),
    ...([402, 429, 500].includes(status) && header("retry-after")),
    ...(keys.some((key) => isRetryUseless(key)) && header("x-should-retry")),
  };
}

/** Responses of errors, which many operations share. */
export interface ErrorResponses {
  /** References by status, for errors in these styles. `default` stands for every other error. */
  responsesOf(styles: readonly ErrorStyle[], keys: readonly ErrorKey[]): Record<string, object>;
  /** The responses that were referred to, by name. */
  components(): Record<string, object>;
}

/** Collects the responses of a document whose errors say `details`. */
export function errorResponses(details: ErrorDetails = {}): ErrorResponses {
  const found = new Map<string, object>();
  const refer = (name: string, response: () => object): object => {
    if (!found.has(name)) found.set(name, response());
    return { $ref: `#/components/responses/${name}` };
  };
  const told = (styles: readonly ErrorStyle[], status: number, keys: readonly ErrorKey[]) => {
    const codes = keys.map((key) => errorCodes[key].code);
    return refer([styles.join("."), ...codes].join("-"), () => ({
      description: keys.map((key) => wordsOf(key, details)).join("\n\n"),
      headers: headersOf(styles, status, keys),
      content: contentOf(styles, keys, details),
      "x-error-codes": codes,
    }));
  };
  return {
    responsesOf(styles, keys) {
      const sorted = [...keys].sort((one, other) => errorCodes[one].code - errorCodes[other].code);
      const statuses = [...new Set(sorted.map(statusOf))];
      const own = statuses.map((status) => [
        String(status),
        told(
          styles,
          status,
          sorted.filter((key) => statusOf(key) === status),
        ),
      ]);
      const other = refer(`${styles.join(".")}-other`, () => ({
        description: "Any other error of `x-errors`.",
        headers: headersOf(styles, 0, []),
        content: contentOf(styles, []),
      }));
      return { ...Object.fromEntries(own), default: other };
    },
    components: () => Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}
