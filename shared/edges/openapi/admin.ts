/** The OpenAPI 3.1 document of the operators' API: every row of its table of routes (edges/admin/routes.ts). */
import { type ErrorKey, errorCodes } from "../../base/errors.ts";
import { adminLimits } from "../../people/admin/bounds.ts";
import type { AdminRoute } from "../admin/route.ts";
import { type AdminOperation, adminRoutes } from "../admin/routes.ts";
import {
  type AdminDescribed,
  adminErrorDetails,
  adminErrors,
  adminTags,
  describeAdminOperation,
} from "./admin-operation.ts";
import { adminOperations } from "./admin-operations.ts";
import { adminSchemas } from "./admin-schemas.ts";
import { consoleHeaders } from "./console.ts";
import { errorResponses, errorTable, standardError } from "./errors.ts";
import * as s from "./schema.ts";
import { adminSchemes } from "./security.ts";

const description = `What the people who run a model gateway do, over HTTP. It is for programs of theirs, and no customer's.

- A token goes as bearer. \`operator token make\` makes one, for one person and for some days. \`operator token revoke\` ends it with its next request.
- Every write takes a \`reason\` and an \`Idempotency-Key\`. With \`dry_run=true\` it says what would happen, and writes nothing. The organization's audit log tells the token's name and id, and the reason.
- A token makes at most ${adminLimits.callsAMinuteMax} calls a minute, and at most ${adminLimits.scansAMinuteMax} of them list organizations or orders in review.
- A body has no members but those that are told here.
- Errors have one form. \`x-errors\` has their codes. A path that is no route answers 404 (40400), and another method 405 (40500).
- Points are decimal strings, as are amounts of money. Instants are RFC 3339.
- Where a list has \`after\`, the \`last_id\` of a page leads to the next one.`;

/** Makes the document. The same code gives the same document. */
export function adminDocument(version: string): object {
  const errors = errorResponses(adminErrorDetails);
  const paths: Record<string, Record<string, object>> = {};
  const told = new Set<ErrorKey>(["not_found", "method_not_allowed"]);
  for (const route of adminRoutes as readonly (AdminRoute & { operation: AdminOperation })[]) {
    const described: AdminDescribed = adminOperations[route.operation];
    for (const key of adminErrors(route, described)) told.add(key);
    const operation = describeAdminOperation(route, described, errors);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  const reason = s.such(s.string, "The wrong field, where one is.");
  return {
    openapi: "3.1.0",
    info: { title: "Model gateway: operators", version, description },
    servers: [{ url: "/", description: "The address that this document was read from." }],
    tags: Object.entries(adminTags).map(([name, words]) => ({ name, description: words })),
    paths,
    components: {
      schemas: { ...adminSchemas, Error_Standard: standardError({ reason }) },
      responses: errors.components(),
      headers: consoleHeaders,
      securitySchemes: adminSchemes,
    },
    "x-errors": errorTable((Object.keys(errorCodes) as ErrorKey[]).filter((key) => told.has(key))),
  };
}
