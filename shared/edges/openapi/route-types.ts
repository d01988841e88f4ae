/** What routes take and answer, as types of the documents' schemas. Only types are imported: no bundle has this room. */

import type { HttpReply, ReplyOf } from "../../base/http/message.ts";
import type { LocalAnswers, LocalCall } from "../../calls/gateway/local-answers.ts";
import type { adminRoutes } from "../admin/routes.ts";
import type { ConsoleCall } from "../console/call.ts";
import type { consoleRoutes } from "../console/routes.ts";
import type { adminOperations } from "./admin-operations.ts";
import type { adminSchemas } from "./admin-schemas.ts";
import type { consoleOperations, consoleSchemas } from "./console-operations.ts";
import type { operations } from "./operations.ts";
import type { ownSchemas } from "./own-schemas.ts";
import type { Fitting } from "./schema.ts";

/** What an operation answers in JSON; nothing where its answer has no body. */
type AnswerOf<Described, Components> = Described extends
  | { reply: infer Reply }
  | { content: { "application/json": infer Reply } }
  ? Fitting<Reply, Components>
  : undefined;

/** The reply of an operation. In JSON it shows what the document says; other types of it are texts. */
type ReplyTo<Described, Components> =
  AnswerOf<Described, Components> extends infer Answer extends object
    ? ReplyOf<Described extends { content: object } | { csv: true } ? Answer | string : Answer>
    : HttpReply;

/** The body that an operation takes. */
type BodyOf<Described, Components> = Described extends { request: { schema: infer Body } }
  ? Fitting<Body, Components>
  : Record<never, never>;

/** The operations of a method, of a table of routes. */
type OperationOf<Row extends { method: string; operation: string }, Method extends Row["method"]> = Extract<
  Row,
  { method: Method }
>["operation"];

/** Where an operation of a table of routes is asked, maybe with a query. */
type PathOf<Row extends { path: string; operation: string }, Operation extends string> = Asked<
  Extract<Row, { operation: Operation }>["path"]
>;

type Asked<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? Asked<`${Before}${string}${After}`>
  : Path | `${Path}?${string}`;

type Components = typeof consoleSchemas;
type Operations = typeof consoleOperations;
type Row = (typeof consoleRoutes)[number];

/** What fits a schema of the console's document. */
export type ConsoleSchema<Name extends keyof Components> = Fitting<Components[Name], Components>;

export type ConsoleAnswer<Operation extends keyof Operations> = AnswerOf<Operations[Operation], Components>;

export type ConsoleReply<Operation extends keyof Operations> = ReplyTo<Operations[Operation], Components>;

export type ConsoleBody<Operation extends keyof Operations> = BodyOf<Operations[Operation], Components>;

/** What answers the rows of a table of the console's routes. */
export type AnswersTo<Rows extends readonly Row[]> = {
  [Each in Rows[number] as Each["operation"]]: (
    call: ConsoleCall,
  ) => Promise<ConsoleReply<Each["operation"]>>;
};

export type ConsoleOperationOf<Method extends Row["method"]> = OperationOf<Row, Method>;

export type ConsolePath<Operation extends keyof Operations> = PathOf<Row, Operation>;

type AdminComponents = typeof adminSchemas;
type AdminOperations = typeof adminOperations;
type AdminRow = (typeof adminRoutes)[number];

/** What fits a schema of the document of the operators' API. */
export type AdminSchema<Name extends keyof AdminComponents> = Fitting<AdminComponents[Name], AdminComponents>;

/** What an operation of operators answers; a write that another person has to confirm answers with that too. */
export type AdminAnswer<Operation extends keyof AdminOperations> =
  | AnswerOf<AdminOperations[Operation], AdminComponents>
  | (AdminOperations[Operation] extends { accepted: infer Accepted }
      ? Fitting<Accepted, AdminComponents>
      : never);

export type AdminBody<Operation extends keyof AdminOperations> = BodyOf<
  AdminOperations[Operation],
  AdminComponents
>;

export type AdminOperationOf<Method extends AdminRow["method"]> = OperationOf<AdminRow, Method>;

export type AdminPath<Operation extends keyof AdminOperations> = PathOf<AdminRow, Operation>;

/** The reply of an operation of the gateway's own. Lists of models have the form of each client, so any will do. */
type GatewayReply<Operation extends keyof typeof operations> = ReplyTo<
  (typeof operations)[Operation],
  typeof ownSchemas
>;

/** What answers the operations of the gateway's own. The answer of a new task may be one that was kept (idempotency.ts). */
export type GatewayAnswers = {
  [Operation in Exclude<keyof typeof operations, "create_task">]: (
    call: LocalCall,
  ) => Promise<GatewayReply<Operation>>;
} & Pick<LocalAnswers, "create_task">;

/** What fits a schema of the gateway's document. */
export type GatewaySchema<Name extends keyof typeof ownSchemas> = Fitting<
  (typeof ownSchemas)[Name],
  typeof ownSchemas
>;
