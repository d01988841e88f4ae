import type { Right } from "../../people/identity/roles.ts";

/**
 * Who may call a route. `public`: nobody is asked. `cookie`: the operation reads the session's cookie itself. `member`:
 * everybody who is signed in. A right: those whose role has it (people/identity/roles.ts).
 */
export type RouteAccess = "public" | "cookie" | "member" | Right;

export interface ConsoleRoute {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** A `{name}` stands for one segment. */
  path: string;
  operation: string;
  access: RouteAccess;
  /** The operation reads bodies of any form. All others take JSON. */
  anyForm?: true;
}
