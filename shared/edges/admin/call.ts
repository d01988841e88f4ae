import type { HttpReply } from "../../base/http/message.ts";
import type { AdminToken } from "../../people/admin/token.ts";
import type { ConsoleRequest } from "../console/call.ts";
import type { AdminRoute } from "./route.ts";
import type { AdminOperation } from "./routes.ts";

/** A request of an operator that has found its route, and whose token may ask it. */
export interface AdminCall {
  request: ConsoleRequest;
  route: AdminRoute;
  /** The values of the path's `{name}`s, decoded. */
  parameters: Readonly<Record<string, string>>;
  token: AdminToken;
}

/** What answers the operations of the table. */
export type AdminAnswers = Record<AdminOperation, (call: AdminCall) => Promise<HttpReply>>;
