/** Tools that only the client's own protocol has. A crossing refuses them, unless the client lets them go. */

import { GatewayError } from "../../base/errors.ts";
import { type Fields, isAbsent, isObject } from "../../base/json/fields.ts";
import type { NativeTool } from "../chat/request.ts";
import { nameAt } from "./dropped.ts";

/** A body that another protocol can carry, and what was taken out of it. */
export interface PortableBody {
  body: Fields;
  /** The tools that were taken out. The client has to agree to it. */
  native: NativeTool[];
  /** Names of what hosted tools left in the conversation. They are no wish for a tool, so the client is not asked. */
  dropped: string[];
}

/** The most tools that one refusal names. */
const namedMax = 5;

/** The refusal of a request with such tools. It names them, and the header that leaves them out. */
export function cannotRun(native: readonly NativeTool[]): GatewayError {
  const names = [...new Set(native.map(shown))];
  const [many, them] = names.length === 1 ? ["", "it"] : ["s", "them"];
  const listed = names.slice(0, namedMax).join(", ") + (names.length > namedMax ? " and others" : "");
  const lacks = native.every(({ hosted }) => hosted) ? "cannot run" : "does not have";
  const message =
    `The provider of this model ${lacks} the tool${many} ${listed}: leave ${them} out, or send the header ` +
    `\`x-gateway-allow-drop: tools\` to have ${them} left out.`;
  const [first] = native;
  return new GatewayError("invalid_request", { message, ...(first && { param: placeOf(first) }) });
}

/** What `x-gateway-dropped` calls such a tool: `tools.web_search`, `web_search_options`. */
export function nativeName({ name, at }: NativeTool): string {
  return nameAt(at, name);
}

/** A client may write anything as a type. A tool whose type is no plain name is shown by its place. */
function shown(tool: NativeTool): string {
  return `\`${/^[\w.-]{1,64}$/.test(tool.name) ? tool.name : placeOf(tool)}\``;
}

function placeOf({ name, at }: NativeTool): string {
  return at || name;
}

/** The list without the entries for which `take` is true. The same list where there are none. */
export function without(
  list: readonly unknown[],
  take: (entry: Fields, index: number) => boolean,
): unknown[] {
  const left = list.filter((entry, index) => !(isObject(entry) && take(entry, index)));
  return left.length === list.length ? (list as unknown[]) : left;
}

/** The body without these members, each of which switches hosted tools on. */
export function withoutSwitches(
  body: Fields,
  members: readonly string[],
): Pick<PortableBody, "body" | "native"> {
  const given = members.filter((name) => !isAbsent(body[name]));
  return {
    body: given.length > 0 ? withoutMembers(body, given) : body,
    native: given.map((name) => ({ name, at: "", hosted: true })),
  };
}

/** Where the parts of a model's turn stand. */
interface TurnPlace {
  role: string;
  list: string;
}

/** A conversation without the parts of the model's turns that `nameOf` names. The names go into `dropped`. */
export function withoutParts(
  turns: unknown,
  { role, list }: TurnPlace,
  nameOf: (part: Fields) => string | undefined,
  dropped: Set<string>,
): unknown {
  if (!Array.isArray(turns)) return turns;
  return turns.map((turn: unknown) => {
    const parts = isObject(turn) && turn.role === role ? turn[list] : undefined;
    if (!Array.isArray(parts)) return turn;
    const left = without(parts, (part) => {
      const name = nameOf(part);
      if (name !== undefined) dropped.add(name);
      return name !== undefined;
    });
    return left === parts ? turn : { ...(turn as Fields), [list]: left };
  });
}

/** The fields without these members. */
export function withoutMembers(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
