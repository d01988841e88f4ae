import { notOffered } from "./not-offered.ts";
import { type ErrorStyle, families, type Route, routes, type VendorClient } from "./routes.ts";

export type Match =
  | { found: true; route: Route; parameter: string }
  | {
      found: false;
      error: "not_found" | "method_not_allowed" | "no_websocket";
      style: ErrorStyle;
      allow: string;
      /** What is offered in place of a vendor's API, or the methods that the path takes. */
      message?: string;
    };

type Headers = Readonly<Record<string, string | undefined>>;

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
 * Finds the route of a method and a raw path, and decodes its parameter, once. `headers` say which vendor's client
 * calls. A known path with another method gives 405, unless a vendor has an API there; all else gives 404.
 */
export function match(method: string, path: string, headers: Headers = {}): Match {
  const client = clientOf(headers);
  const candidates = candidatesFor(path).filter(({ route }) => !route.client || route.client === client);
  const hit = candidates.find(({ route }) => methodsOf(route).includes(method));
  if (hit && !isDoubtful(hit.route, hit.parameter)) return { found: true, ...hit };
  const style = hit?.route.style ?? styleOf(path, client);
  const message = notOffered(method, path, style, candidates.length > 0);
  if (message) return { found: false, error: "not_found", style, allow: "", message };
  if (hit) return { found: true, ...hit };
  // Codex asks for a WebSocket first. It goes on by HTTP at once where it is told that there is none.
  if (candidates.length > 0 && /websocket/i.test(headers.upgrade ?? "")) {
    return { found: false, error: "no_websocket", style, allow: "" };
  }
  const error = candidates.length > 0 ? "method_not_allowed" : "not_found";
  const allow = [...new Set(candidates.flatMap(({ route }) => methodsOf(route)))].join(", ");
  const told = allow && { message: `This path does not support ${named(method)}. It takes ${allow}.` };
  return { found: false, error, style, allow, ...told };
}

/** The methods that a row answers. */
function methodsOf({ operation, method }: Route): string[] {
  return operation === "page" ? [method, "HEAD"] : [method];
}

/** A method as a message repeats it, if it is one of HTTP's. */
function named(method: string): string {
  return /^[A-Z]{1,10}$/.test(method) ? method : "this method";
}

/** Which vendor's client calls. Anthropic's always send their version, and Google's a key header of their own. */
function clientOf(headers: Headers): VendorClient | undefined {
  if (headers["anthropic-version"] !== undefined) return "anthropic";
  return headers["x-goog-api-key"] === undefined ? undefined : "gemini";
}

/** Whether the row for models matched what is no model: an action of Gemini's that is not offered, or an operation. */
function isDoubtful({ path }: Route, parameter: string): boolean {
  if (path.endsWith("{model_action}")) return !/:(?:generate|streamGenerate)Content$/.test(parameter);
  return path.endsWith("/{model}") && parameter.includes("/operations/");
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

/** The error style of a path's family: the first prefix of the table that ends where a segment ends. */
export function styleOf(path: string, client?: VendorClient): ErrorStyle {
  const family = families.find(
    ([prefix]) => path === prefix || path.startsWith(`${prefix}/`) || prefix === "",
  );
  return (client && family?.[2]?.[client]) ?? family?.[1] ?? "standard";
}
