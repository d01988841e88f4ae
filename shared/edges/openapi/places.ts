/** Where the document has its operations. */
import type { Route } from "../../base/http/routes.ts";

/** A method and a path of the document, with the rows of the table that it stands for. */
export interface Place {
  method: Route["method"] | "HEAD";
  path: string;
  rows: readonly Route[];
}

/** The paths of a row. Gemini's row of two actions is two paths, because `{model}` and `{model_action}` are one path. */
function pathsOf({ path }: Route): string[] {
  if (!path.endsWith("{model_action}")) return [path];
  return ["generateContent", "streamGenerateContent"].map((action) =>
    path.replace("{model_action}", `{model}:${action}`),
  );
}

/** Every operation of the document, in the order of the table. */
export function placesOf(table: readonly Route[]): Place[] {
  const places = new Map<string, Place & { rows: Route[] }>();
  for (const row of table) {
    const methods = row.operation === "page" ? (["GET", "HEAD"] as const) : [row.method];
    for (const path of pathsOf(row)) {
      for (const method of methods) {
        const name = `${method} ${path}`;
        const place = places.get(name) ?? { method, path, rows: [] };
        place.rows.push(row);
        places.set(name, place);
      }
    }
  }
  return [...places.values()];
}
