import { type ErrorStyle, families, type Route, routes } from "./routes.ts";

export type Match =
  | { found: true; route: Route; parameter: string }
  | { found: false; error: "not_found" | "method_not_allowed"; style: ErrorStyle; allow: string };

const exact = new Map<string, Route[]>();
const open: { prefix: string; suffix: string; route: Route }[] = [];
for (const route of routes) {
  const brace = route.path.indexOf("{");
  if (brace >= 0) {
    const suffix = route.path.slice(route.path.indexOf("}") + 1);
    open.push({ prefix: route.path.slice(0, brace), suffix, route });
  } else exact.set(route.path, [...(exact.get(route.path) ?? []), route]);
}

/**
 * Finds the route of a method and a raw (percent-encoded) path. The parameter is decoded here, once.
 * A path with another method is 405, anything else 404, each in the style of the path's family.
 */
export function match(method: string, path: string): Match {
  const candidates = candidatesFor(path);
  const hit = candidates.find(({ route }) => route.method === method);
  if (hit) return { found: true, ...hit };
  const error = candidates.length > 0 ? "method_not_allowed" : "not_found";
  const allow = [...new Set(candidates.map(({ route }) => route.method))].join(", ");
  return { found: false, error, style: candidates[0]?.route.style ?? styleOf(path), allow };
}

function candidatesFor(path: string): { route: Route; parameter: string }[] {
  const fixed = exact.get(path);
  if (fixed) return fixed.map((route) => ({ route, parameter: "" }));
  const found: { route: Route; parameter: string }[] = [];
  for (const { prefix, suffix, route } of open) {
    const rest = path.startsWith(prefix) ? decode(path.slice(prefix.length)) : undefined;
    if (!rest?.endsWith(suffix)) continue;
    const parameter = rest.slice(0, rest.length - suffix.length);
    if (parameter) found.push({ route, parameter });
  }
  return found;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The error style of a path's family: the longest-standing prefixes of the contract, at a segment's border. */
export function styleOf(path: string): ErrorStyle {
  const family = families.find(
    ([prefix]) => path === prefix || path.startsWith(`${prefix}/`) || prefix === "",
  );
  return family?.[1] ?? "standard";
}
