/**
 * What the console's routes take and answer, as types. They follow from the schemas of its document, so operations and
 * pages that import them are held to it. Only types are imported from here: no bundle has this room.
 */

import type { consoleRoutes } from "../console/routes.ts";
import type { consoleOperations, consoleSchemas } from "./console-operations.ts";
import type { Fitting } from "./schema.ts";

type Components = typeof consoleSchemas;
type Operations = typeof consoleOperations;

/** What fits a schema of the document. */
export type ConsoleSchema<Name extends keyof Components> = Fitting<Components[Name], Components>;

/** What an operation answers in JSON; nothing where its answer has no body. */
export type ConsoleAnswer<Operation extends keyof Operations> = AnswerOf<Operations[Operation]>;
type AnswerOf<Described> = Described extends
  | { reply: infer Reply }
  | { content: { "application/json": infer Reply } }
  ? Fitting<Reply, Components>
  : undefined;

/** The body that an operation takes. */
export type ConsoleBody<Operation extends keyof Operations> = Operations[Operation] extends {
  request: { schema: infer Body };
}
  ? Fitting<Body, Components>
  : Record<never, never>;

type Row = (typeof consoleRoutes)[number];

/** The operations of a method. */
export type ConsoleOperation<Method extends Row["method"]> = Extract<Row, { method: Method }>["operation"];

/** Where an operation is asked, maybe with a query. */
export type ConsolePath<Operation extends keyof Operations> = Asked<
  Extract<Row, { operation: Operation }>["path"]
>;

type Asked<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${After}` | `${Before}${string}${After}?${string}`
  : Path | `${Path}?${string}`;
