import type { Right } from "../../people/identity/roles.ts";

/** Who may call. `cookie`: the operation reads it itself. `member`: who is signed in. A right: roles that have it. */
export type RouteAccess = "public" | "cookie" | "member" | Right;

export interface ConsoleRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A `{name}` stands for one segment. */
  path: string;
  operation: string;
  access: RouteAccess;
  /** The operation reads bodies of any form. All others take JSON. */
  anyForm?: true;
}
