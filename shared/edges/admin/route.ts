import type { AdminScope } from "../../people/admin/token.ts";

export interface AdminRoute {
  method: "GET" | "POST";
  /** A `{name}` stands for one segment. */
  path: string;
  operation: string;
  /** What the token must have. */
  scope: AdminScope;
  /** It reads a whole table, so a token may ask it a few times a minute. */
  scans?: true;
}
