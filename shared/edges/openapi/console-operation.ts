/** One operation of the console's document, from its row in the table of routes and from its description. */

import { consoleLimits } from "../../base/console-limits.ts";
import type { ErrorKey } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { mayDo, type Right } from "../../people/identity/roles.ts";
import { roles } from "../../people/identity/user.ts";
import type { ConsoleRoute, RouteAccess } from "../console/route.ts";
import type { ErrorDetails, ErrorResponses } from "./errors.ts";
import { inQuery, type Parameter } from "./parameters.ts";
import type { Schema } from "./schema.ts";

export const consoleTags = {
  "Sign-in": "Signing up, in and out with a phone or an e-mail address, and the sessions of a user.",
  Programs: "Programs that people sign in from a terminal, by OAuth's device flow.",
  Account: "The user, their organizations, and the one that they work in.",
  Organization: "Members, invitations, and what members changed.",
  Webhooks: "Where an organization is told its news.",
  Keys: "API keys, and who made them.",
  Usage: "What was used and what is left.",
  Payments: "Orders of points and of plans.",
  Invoices: "Invoices of orders that were paid, and what each month did to the wallet.",
} as const;

/** What the document says of an operation beside its row. */
export interface ConsoleDescribed {
  tag: keyof typeof consoleTags;
  summary: string;
  description?: string;
  query?: readonly Parameter[];
  /** What the path's parameter is. */
  parameter?: { description: string; schema?: Schema };
  /** It may be repeated under an `Idempotency-Key`. */
  once?: true;
  request?: { schema: Schema; example: Schema; optional?: true };
  /** Its body is a form, and these are its refusals, as OAuth has both. */
  oauth?: Schema;
  /** By default 200. */
  status?: 201 | 202 | 204;
  /** The schema of its answer; undefined where the answer has no body, or `content` says it. */
  reply?: Schema;
  /** The schemas of its answers by their types, where there are others than JSON. */
  content?: Readonly<Record<string, Schema>>;
  /** Whether it gives the browser another cookie, or takes it away. */
  cookie?: string;
  /** The errors beside those that follow from its access and its body. */
  errors: readonly ErrorKey[];
}

const sessionErrors = ["not_authenticated", "session_expired", "login_frozen", "rate_limited"] as const;

/** The errors that an operation can give. */
export function consoleErrors(access: RouteAccess, { request, oauth, errors }: ConsoleDescribed): ErrorKey[] {
  if (oauth) return ["internal", "too_large"];
  const isOpen = access === "public" || access === "cookie";
  return [
    ...new Set<ErrorKey>([
      "internal",
      ...(isOpen ? [] : sessionErrors),
      ...(isOpen || access === "member" ? [] : (["permission_denied"] as const)),
      ...(request ? (["invalid_request", "too_large", "unsupported_encoding"] as const) : []),
      ...errors,
    ]),
  ];
}

/** What the console's errors say in other words than the gateway's, as examples. */
export const consoleErrorDetails: ErrorDetails = {
  not_authenticated: {
    message: "No session was given. Send its access token as `Authorization: Bearer <token>`.",
  },
  permission_denied: { message: "The role member may not do this." },
  invalid_state: { message: "The state of this, or a change at the same time, does not allow it." },
  invalid_period: { param: "period" },
  rate_limited: {
    message: `A session makes at most ${consoleLimits.callsPerSessionAMinuteMax} calls a minute.`,
  },
  too_large: { message: `The body is over ${consoleLimits.bodyBytesMax} bytes.` },
};

/** Describes the operation of a row. */
export function describeConsoleOperation(
  { path, operation, access }: ConsoleRoute,
  described: ConsoleDescribed,
  errors: ErrorResponses,
): object {
  const { tag, summary, request, status = 200, query = [], once, oauth } = described;
  const words = [described.description, whoMay(access)].filter(Boolean).join(" ");
  const parameters = [
    ...pathParameters(path, described),
    ...(once ? [idempotencyKey] : []),
    ...query.map(inQuery),
  ];
  return {
    operationId: operation.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tag],
    summary,
    ...(words && { description: words }),
    security: securityOf(access),
    parameters,
    ...(request && { requestBody: bodyOf(request, oauth ? "application/x-www-form-urlencoded" : undefined) }),
    responses: {
      [status]: answerOf(described),
      ...(oauth && refusalsOf(oauth)),
      ...errors.responsesOf(["standard"], consoleErrors(access, described)),
    },
    "x-error-style": ["standard"],
  };
}

function securityOf(access: RouteAccess): object[] {
  if (access === "public") return [];
  if (access === "cookie") return [{ cookie: [] }];
  return [{ session: access === "member" ? [] : [access] }];
}

/** Which roles may call it, where it is not for every member. */
function whoMay(access: RouteAccess): string | undefined {
  if (access === "public" || access === "cookie" || access === "member") return undefined;
  const right: Right = access;
  const names = roles.filter((role) => mayDo(role, right));
  return `For the roles ${names.join(", ")} (\`${right}\`).`;
}

function pathParameters(path: string, { parameter }: ConsoleDescribed): object[] {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return [];
  if (!parameter) throw new Error(`the parameter of ${path} has no description`);
  const schema = parameter.schema ?? { type: "string", minLength: 1 };
  return [{ name, in: "path", required: true, description: parameter.description, schema }];
}

/** What an `Idempotency-Key` may be. */
export const idempotencySchema = {
  type: "string",
  maxLength: limits.idempotencyKeyBytesMax,
  pattern: `^[\\x21-\\x7e]{1,${limits.idempotencyKeyBytesMax}}$`,
};

const idempotencyKey = {
  name: "idempotency-key",
  in: "header",
  description:
    "The same order within a day is made once. A repetition gets the order that the first one made.",
  schema: idempotencySchema,
};

/** The body of a request, with its example. */
export function bodyOf(
  { schema, example, optional }: NonNullable<ConsoleDescribed["request"]>,
  type = "application/json",
): object {
  return {
    required: optional !== true,
    content: { [type]: { schema, examples: { plain: { value: example } } } },
  };
}

/** The refusals of a route of OAuth's. */
function refusalsOf(schema: Schema): object {
  const content = { "application/json": { schema } };
  const id = { "x-request-id": { $ref: "#/components/headers/x-request-id" } };
  const wait = { "retry-after": { $ref: "#/components/headers/retry-after" } };
  return {
    400: { description: "It is refused, as OAuth has it.", headers: id, content },
    429: { description: "Too much was asked for.", headers: { ...id, ...wait }, content },
  };
}

/** The answer of an operation that has done what was asked. */
export function answerOf({
  reply,
  content,
  cookie,
}: Pick<ConsoleDescribed, "reply" | "content" | "cookie">): object {
  const types = content ?? (reply && { "application/json": reply });
  const bodies = types && Object.entries(types).map(([type, schema]) => [type, { schema }]);
  return {
    description: types ? "The answer." : "It is done.",
    headers: {
      "x-request-id": { $ref: "#/components/headers/x-request-id" },
      ...(cookie && { "set-cookie": { description: cookie, schema: { type: "string" } } }),
    },
    ...(bodies && { content: Object.fromEntries(bodies) }),
  };
}
