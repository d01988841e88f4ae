/** The OpenAPI 3.1 document of the console: every row of its table of routes (edges/console/routes.ts). */

import { type ErrorKey, errorCodes } from "../../base/errors.ts";
import type { ConsoleRoute } from "../console/route.ts";
import { type ConsoleOperation, consoleRoutes } from "../console/routes.ts";
import {
  type ConsoleDescribed,
  consoleErrorDetails,
  consoleErrors,
  consoleTags,
  describeConsoleOperation,
} from "./console-operation.ts";
import { consoleOperations, consoleSchemas } from "./console-operations.ts";
import { errorResponses, errorTable, standardError } from "./errors.ts";
import * as s from "./schema.ts";
import { consoleSchemes } from "./security.ts";

const description = `Accounts, payments, usage and invoices of a model gateway: what its console asks, and what any program may ask.

- Sign in with a phone or an e-mail address, and the code that it gets. The access token then goes as bearer (\`session\`). It is good for ten minutes, and names the organization that every answer is about.
- Errors have one form. \`x-errors\` has their codes. A path that is no route answers 404 (40400), and another method 405 (40500).
- Points are decimal strings, as are amounts of money. Instants are RFC 3339. In bodies \`null\` counts as absent.
- Where a list has \`after\`, the \`last_id\` of a page leads to the next one.
- Calls of models go to the gateway, with an API key. It has a document of its own.`;

const header = (words: string, schema: object = s.string) => ({ description: words, schema });

/** The headers of answers, which the document of the operators' API has too. */
export const consoleHeaders = {
  "x-request-id": header("The id of the request, for questions to us."),
  "www-authenticate": header("How to authenticate."),
  "retry-after": header("Seconds to wait.", s.integer),
  "x-should-retry": header("`false`: asking again is useless.", s.oneOf(["false"])),
};

/** What the sender of a code has to solve first. */
const human = s.closed({
  challenge: s.string,
  bits: s.such(s.integer, "With how many zero bits the SHA-256 has to begin."),
});

/** For programs that show errors in words of their own. */
const reason = s.such(
  s.string,
  "Why it was refused, where the code does not say it: a reason, or the wrong field.",
);

/** Makes the document. The same code gives the same document. */
export function consoleDocument(version: string): object {
  const errors = errorResponses(consoleErrorDetails);
  const paths: Record<string, Record<string, object>> = {};
  const told = new Set<ErrorKey>(["not_found", "method_not_allowed"]);
  for (const route of consoleRoutes as readonly (ConsoleRoute & { operation: ConsoleOperation })[]) {
    const described: ConsoleDescribed = consoleOperations[route.operation];
    for (const key of consoleErrors(route.access, described)) told.add(key);
    const operation = describeConsoleOperation(route, described, errors);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Model gateway: console", version, description },
    servers: [{ url: "/", description: "The address that this document was read from." }],
    tags: Object.entries(consoleTags).map(([name, words]) => ({ name, description: words })),
    paths,
    components: {
      schemas: { ...consoleSchemas, Error_Standard: standardError({ human, reason }) },
      responses: errors.components(),
      headers: consoleHeaders,
      securitySchemes: consoleSchemes,
    },
    "x-errors": errorTable((Object.keys(errorCodes) as ErrorKey[]).filter((key) => told.has(key))),
  };
}
