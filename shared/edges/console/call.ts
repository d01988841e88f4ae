import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { Caller } from "../../people/identity/caller.ts";
import type { ConsoleRoute } from "./route.ts";
import type { ConsoleOperation } from "./routes.ts";

export interface ConsoleRequest extends HttpRequest {
  /** The address that the connection came from. No header can say it. */
  ip: string;
}

/** A request that has found its route, and its caller where the route wants one. */
export interface ConsoleCall {
  request: ConsoleRequest;
  route: ConsoleRoute;
  /** The values of the path's `{name}`s, decoded. */
  parameters: Readonly<Record<string, string>>;
  /** Null on routes that are `public` or `cookie`. */
  caller: Caller | null;
}

type AnswerConsole = (call: ConsoleCall) => Promise<HttpReply>;

/** What answers the operations of the table. */
export type ConsoleAnswers = Record<ConsoleOperation, AnswerConsole>;

/** The caller of a call whose route has one. Throws where it has none, which is a fault of ours. */
export function callerOf({ caller, route }: ConsoleCall): Caller {
  if (!caller) throw new Error(`${route.path} has no caller`);
  return caller;
}
