/** What a call wishes of the gateway, by headers that are ours alone or by the defaults of its key. */

import { GatewayError } from "../../base/errors.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import type { Principal } from "../../books/accounts/account.ts";
import {
  type ChosenName,
  defaultValues,
  headerValues,
  keyDefaults,
  noneOfList,
} from "../../books/accounts/key-defaults.ts";
import { tagsOf } from "../access/tags.ts";
import type { ExchangedCall } from "../exchange/call.ts";
import { type Preferences, readPreferences } from "../routing/preferences.ts";

export interface Wishes extends Pick<ExchangedCall, "drops_tools" | "adapts" | "cache_points"> {
  /** The client wants the cost beside the usage. */
  tells_cost: boolean;
  /** What becomes of a stream whose client hangs up: `abort` breaks its provider off. Absent: it is read to its end. */
  on_disconnect: "drain" | "abort" | undefined;
  /** The client wants to see what its channels were ordered by. */
  explains: boolean;
  /** What the client wishes of the order of channels. */
  preferences: Preferences | undefined;
  /** Its tags and those of its key. Undefined: there are none. */
  tags: string | undefined;
}

/** The wishes of a request. Throws `invalid_request` for a header with another value than it may have. */
export function readWishes(request: HttpRequest, principal: Principal): Wishes {
  const tells_cost = wish(request, "x-gateway-usage", ["cost"]) !== undefined;
  const drops_tools = wishOf(request, principal, "allow_drop").includes("tools");
  const adapts = wish(request, "x-gateway-adapt", ["1"]) !== undefined;
  const explains = wish(request, "x-gateway-explain", ["1"]) !== undefined;
  const [cache_points] = wishOf(request, principal, "cache_points");
  const [on_disconnect] = wishOf(request, principal, "on_disconnect");
  const preferences = readPreferences(request.headers["x-gateway-route"]);
  const tags = tagsOf(request, principal);
  return { tells_cost, drops_tools, adapts, explains, cache_points, on_disconnect, preferences, tags };
}

/** What a call wishes by a header of the table, else its key by a default. Throws `invalid_request` as `wish`. */
function wishOf<Name extends ChosenName>(
  request: HttpRequest,
  { key }: Principal,
  name: Name,
): (typeof keyDefaults)[Name]["values"][number][] {
  const given = wish(request, keyDefaults[name].header, headerValues(keyDefaults[name]));
  if (given === undefined) return defaultValues(key.defaults, name) ?? [];
  return given === noneOfList ? [] : [given as (typeof keyDefaults)[Name]["values"][number]];
}

/** What a header says that may have these values alone. Throws `invalid_request` for any other value. */
function wish<Value extends string>(
  { headers }: HttpRequest,
  name: string,
  values: readonly [Value, ...Value[]],
): Value | undefined {
  const given = headers[name];
  const known = values.find((value) => value === given);
  if (given === undefined || known !== undefined) return known;
  const [only, ...others] = values.map((value) => `\`${value}\``);
  const told =
    others.length === 0
      ? `The only value of ${name} is ${only}`
      : `The values of ${name} are ${only} and ${others.join(", ")}`;
  throw new GatewayError("invalid_request", { message: `${told}.`, param: name });
}
