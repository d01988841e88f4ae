/** Finds a row of a table of routes. */
import type { ConsoleRoute } from "./route.ts";
import { consoleRoutes } from "./routes.ts";

type RouteMatch<Row> =
  | { found: true; route: Row; parameters: Record<string, string> }
  | { found: false; error: "not_found" | "method_not_allowed"; allow: string };

/** The route of a method and a raw path in the console's table. */
export const matchConsole = matchIn<ConsoleRoute>(consoleRoutes);

/**
 * Finds rows of a table of routes. `{name}` takes one decoded segment. Rows without names stand first and win.
 */
export function matchIn<Row extends Pick<ConsoleRoute, "method" | "path">>(
  routes: readonly Row[],
): (method: string, path: string) => RouteMatch<Row> {
  const rows = routes.map((route) => ({ route, segments: route.path.split("/") }));
  return (method, path) => {
    const given = path.split("/");
    const fitting = rows.flatMap(({ route, segments }) => {
      const parameters = parametersOf(segments, given);
      return parameters ? [{ route, parameters }] : [];
    });
    const hit = fitting.find(({ route }) => route.method === method);
    if (hit) return { found: true, ...hit };
    const allow = [...new Set(fitting.map(({ route }) => route.method))].join(", ");
    return { found: false, error: allow ? "method_not_allowed" : "not_found", allow };
  };
}

/** The named segments of a path, or undefined if it does not fit. */
function parametersOf(segments: string[], given: string[]): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const text = given[at] ?? "";
    if (!segment.startsWith("{")) {
      if (segment !== text) return undefined;
      continue;
    }
    const value = decoded(text);
    if (!value) return undefined;
    parameters[segment.slice(1, -1)] = value;
  }
  return parameters;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
