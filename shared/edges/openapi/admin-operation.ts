/** One operation of the document of the operators' API, from its row in the table of routes and from its description. */
import type { ErrorKey } from "../../base/errors.ts";
import { adminLimits } from "../../people/admin/bounds.ts";
import type { AdminRoute } from "../admin/route.ts";
import { answerOf, bodyOf, type ConsoleDescribed, idempotencySchema } from "./console-operation.ts";
import type { ErrorDetails, ErrorResponses } from "./errors.ts";
import { inQuery, type Parameter } from "./parameters.ts";
import * as s from "./schema.ts";

export const adminTags = {
  Token: "Whose token asks.",
  Organizations: "Customers, with what they have.",
  Keys: "API keys of a customer.",
  Orders: "Orders of all customers.",
  Invoices: "Invoices of all customers.",
  Credits: "Credits of wallets, and those that wait for another person.",
  Months: "Months that were closed for good.",
  Catalog: "Models with the prices in force, and their channels.",
} as const;

/** What the document says of an operation beside its row. */
export interface AdminDescribed
  extends Pick<ConsoleDescribed, "summary" | "description" | "query" | "request"> {
  tag: keyof typeof adminTags;
  /** What each parameter of the path is, by its name. */
  parameters?: Readonly<Record<string, string>>;
  reply: s.Schema;
  /** What it answers instead, where it has asked for something that another person decides. */
  accepted?: s.Schema;
  errors: readonly ErrorKey[];
}

export const adminErrorDetails: ErrorDetails = {
  not_authenticated: {
    message:
      "No token in force was given. `operator token make` makes one; send it as `Authorization: Bearer <token>`.",
  },
  permission_denied: { message: "The token has read. This takes finance." },
  invalid_state: { message: "The token that proposed a credit cannot confirm it." },
  idempotency_conflict: {
    message: "A write with this Idempotency-Key is running. Send it again in a minute.",
  },
  rate_limited: { message: `A token makes at most ${adminLimits.callsAMinuteMax} calls a minute.` },
  too_large: { message: `The body is over ${adminLimits.bodyBytesMax} bytes.` },
};

const always = ["internal", "not_authenticated", "rate_limited", "invalid_request"] as const;
const ofWrites = ["too_large", "unsupported_encoding", "idempotency_conflict", "permission_denied"] as const;

/** The errors that an operation can give. */
export function adminErrors({ method }: AdminRoute, { errors }: AdminDescribed): ErrorKey[] {
  return [...new Set<ErrorKey>([...always, ...(method === "GET" ? [] : ofWrites), ...errors])];
}

const dryRun: Parameter = {
  name: "dry_run",
  schema: { type: "boolean", default: false },
  description: "True: says what would happen, and writes nothing. It needs no `Idempotency-Key`.",
};

const idempotencyKey = {
  name: "idempotency-key",
  in: "header",
  description:
    "Needed, but for a dry run. The same request with the same key is done once within a day; a repetition gets the first answer.",
  schema: idempotencySchema,
};

/** Why something is done. Every write takes it. */
export const reason = s.such(s.string, {
  minLength: 1,
  maxLength: adminLimits.reasonCharsMax,
  description: "Why, on one line. The customer's audit log shows it.",
  examples: ["ticket 4711"],
});

/** Describes the operation of a row. */
export function describeAdminOperation(
  route: AdminRoute,
  described: AdminDescribed,
  errors: ErrorResponses,
): object {
  const { method, path, operation, scope } = route;
  const { tag, summary, description, query = [], parameters = {}, request, reply, accepted } = described;
  const isWrite = method !== "GET";
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const text = { type: "string", minLength: 1 };
  return {
    operationId: operation.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tag],
    summary,
    description: [description, `For tokens with the scope \`${scope}\`.`].filter(Boolean).join(" "),
    security: [{ token: [scope] }],
    parameters: [
      ...names.map((name) => {
        if (!parameters[name]) throw new Error(`the parameter ${name} of ${path} has no description`);
        return { name, in: "path", required: true, description: parameters[name], schema: text };
      }),
      ...(isWrite ? [idempotencyKey] : []),
      ...[...query, ...(isWrite ? [dryRun] : [])].map(inQuery),
    ],
    ...(request && { requestBody: bodyOf(request) }),
    responses: {
      200: answerOf({ reply: isWrite ? s.either(reply, s.ref("DryRun")) : reply }),
      ...(accepted && { 202: answerOf({ reply: accepted }) }),
      ...errors.responsesOf(["standard"], adminErrors(route, described)),
    },
    "x-error-style": ["standard"],
  };
}
