/**
 * The sentence for a path that is no route. It names the vendor's API that is not offered and what is offered instead,
 * or the route that was meant. The first segment behind the version names the API, so APIs that vendors add later have
 * an answer too.
 */
import { changesBetween } from "../platform/nearest.ts";
import { type ErrorStyle, type Route, routes } from "./routes.ts";

/** How many letters of a path may be wrong, and how long a path may be to be corrected. */
const mistypedChangesMax = 2;
const mistypedCharsMax = 40;

/** APIs that stand under the first segment of a route, by method and path behind the version. */
const beside: readonly [asked: RegExp, what: string][] = [
  [/^GET chat\/completions$| chat\/completions\/./, "stored chat completions"],
  [/ embeddings\/multimodal$/, "multimodal embeddings"],
  [/ images\/variations$/, "image variations"],
  [/ messages\/batches\b/, "message batches"],
  [/ responses\/(compact|input_tokens)$/, "responses $1"],
  [/ responses\/./, "stored responses"],
  [/^(?:DELETE|PATCH) models\/./, "model management"],
  [/^\w+ models\/.+\/operations\//s, "operations"],
  [/^POST models\/.+:(\w{1,40})$/, "$1"],
];

/** What to use here instead. */
const instead: Record<string, string> = {
  complete: "/v1/messages",
  completions: "/v1/chat/completions",
  predictLongRunning: "/api/v3/contents/generations/tasks",
  videos: "/api/v3/contents/generations/tasks",
};

/** Calls of Amazon Bedrock's clients that have no route, and what to use in their place. */
const ofBedrock: readonly [asked: RegExp, what: string, use?: string][] = [
  [/\/count-tokens$/, "count tokens", "POST /v1/messages/count_tokens"],
  [/\/invoke-with-bidirectional-stream$/, "bidirectional stream", "POST /model/{model}/converse-stream"],
  [/^\/async-invoke\b/, "async invoke", `POST ${instead.videos}`],
  [/^\/(guardrail|guardrail-checks)\//, "$1"],
  [/^\/(foundation-models|inference-profiles)\b/, "$1", "GET /v1/models"],
  [/\/(\w[\w-]{0,39})$/, "$1"],
];

/** The sentence for a path of Amazon Bedrock's. They have no version, and none is the beginning of another. */
function notOfferedOfBedrock(path: string): string | undefined {
  for (const [asked, what, use] of ofBedrock) {
    const found = asked.exec(path);
    if (!found) continue;
    const name = what.replace("$1", found[1] ?? "").replaceAll("-", " ");
    const offered = routes.flatMap(({ style, path }) => (style === "aws" ? path : [])).join(", ");
    const other = use === undefined ? "" : ` Use ${use}.`;
    return `The ${name} API is not offered by this gateway.${other} Of Bedrock's it offers ${offered}.`;
  }
  return undefined;
}

/** The sentence for an unknown path. `isKnown`: it is a route of another method. Undefined where none would help. */
export function notOffered(
  method: string,
  path: string,
  style: ErrorStyle,
  isKnown: boolean,
): string | undefined {
  if (style === "aws") return isKnown ? undefined : notOfferedOfBedrock(path);
  const route = isKnown ? undefined : (meant(method, tidied(path), style) ?? meant(method, path, style));
  if (route) return `This path is not offered by this gateway. Did you mean ${method} ${route}?`;
  const [base, rest] = split(path);
  const near = isKnown ? undefined : mistyped(method, base, rest);
  if (near) return `This path is not offered by this gateway. Did you mean ${method} ${base}/${near}?`;
  const offers = offersUnder(base, style);
  const what = offers && nameOf(method, rest, isKnown);
  if (!what) return undefined;
  const spoken = what
    .replace(/[_-]/g, " ")
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const use = Object.hasOwn(instead, what) ? ` Use POST ${instead[what]}.` : "";
  return `The ${spoken} API is not offered by this gateway.${use} Under ${base} it offers ${offers}.`;
}

/** A path's base, which ends with the version, and what follows. Google has uploads and sockets before the version. */
function split(path: string): [base: string, rest: string] {
  const socket = /^(.*)\/ws\/google\.ai\.generativelanguage\.(v\w+)\./.exec(path);
  if (socket) return [`${socket[1]}/${socket[2]}`, "live"];
  const [, base = "", rest = ""] =
    /^((?:\/api\/v1\/gemini)?.*?\/v\d\w*)\/(.+)$/s.exec(path.replace("/upload/", "/")) ?? [];
  return [base, rest];
}

function nameOf(method: string, rest: string, isKnown: boolean): string | undefined {
  for (const [asked, what] of beside) {
    const found = asked.exec(`${method} ${rest}`);
    if (found) return what.replace("$1", found[1] ?? "");
  }
  return isKnown ? undefined : /^(?:v\d\/)?([\w-]{1,40})(?:$|[/:])/.exec(rest)?.[1];
}

/** A path without the double or last slash that a base URL with a slash at its end makes. */
function tidied(path: string): string {
  return path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
}

/** The route that a wrong base URL missed: it has the version twice or not at all, or belongs to other routes. */
function meant(method: string, path: string, style: ErrorStyle): string | undefined {
  const rest = restOf(path);
  const found = routes.filter((route) => {
    const [start = "", end] = restOf(route.path).split(/\{\w+\}/);
    if (route.method !== method) return false;
    return end === undefined ? rest === start : rest.startsWith(start) && rest.endsWith(end);
  });
  const own = found.find((each) => each.path === path);
  const route = own ?? found.find((each) => kin(each) === kin({ style })) ?? found[0];
  return route?.path.replace("{model_action}", "{model}:{action}");
}

/** The route under the same base that a path with wrong letters missed. Names of vendors' APIs are not corrected. */
function mistyped(method: string, base: string, rest: string): string | undefined {
  if (rest.length > mistypedCharsMax || beside.some(([asked]) => asked.test(`${method} ${rest}`)))
    return undefined;
  const ends = routes.flatMap((route) =>
    route.method === method && route.path.startsWith(`${base}/`) && !route.path.includes("{")
      ? [route.path.slice(base.length + 1)]
      : [],
  );
  return ends.find(
    (end) => changesBetween(rest.toLowerCase(), end, mistypedChangesMax) <= mistypedChangesMax,
  );
}

/** What follows a path's last version. */
function restOf(path: string): string {
  return /^(?:.*\/v\d\w*)?\/(.+)$/s.exec(path)?.[1] ?? "";
}

/** The paths that a client of that style finds under the base. Empty where there is no such base. */
function offersUnder(base: string, style: ErrorStyle): string {
  const found = routes
    .filter((route) => route.path.startsWith(`${base}/`) && kin(route) === kin({ style }))
    .map(({ path }) =>
      path
        .slice(base.length + 1)
        .replace("{model_action}", "{model}:generateContent, models/{model}:streamGenerateContent")
        .replace(/\/\{\w+\}$/, ""),
    );
  return [...new Set(found)].join(", ");
}

/** The vendor whose clients read a style. */
function kin({ style }: Pick<Route, "style">): string {
  return style.startsWith("anthropic") ? "anthropic" : style === "gemini" ? style : "openai";
}
