/**
 * Bytes → a call: the body's size and form, then its model and what the caller may do, then its fields (design §4
 * "Order of checks").
 */

import { checkBody, type HttpRequest } from "../../base/http/message.ts";
import type { CountRoute, InferenceRoute } from "../../base/http/routes.ts";
import { refuseDuplicates } from "../../base/json/body.ts";
import { invalidField, requiredString } from "../../base/json/fields.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import { modelMeant } from "../../books/catalog/allowed-models.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import { checkPlanCount } from "../../books/catalog/plans.ts";
import { callableModel } from "../access/callable-model.ts";
import { checkCacheWish } from "../cache/wishes.ts";
import type { ExchangedCall } from "../exchange/call.ts";
import { protocols } from "../protocols/index.ts";
import type { Address, Protocol } from "../protocols/protocol.ts";
import type { CallTrace } from "../telemetry/trace.ts";
import type { Deps } from "./deps.ts";
import { readBody } from "./read-body.ts";
import { readWishes, type Wishes } from "./wishes.ts";

/** A request whose caller is known. */
interface Authenticated {
  request: HttpRequest;
  route: InferenceRoute | CountRoute;
  /** The path's parameter, decoded; "" where the path has none. */
  parameter: string;
  principal: Principal;
  /** Where the call is traced. */
  trace?: CallTrace | undefined;
  /** What the line of a refusal will name. */
  names?: CallNames | undefined;
}

/** A call whose body is understood. */
export interface Decoded extends Authenticated, ExchangedCall, Wishes {
  request: HttpRequest;
  /** The most output tokens that a policy has written into a request which named none. Absent: none has. */
  output_bound?: number;
}

/** Decodes an inference request. Throws the catalog's errors in the order of design §4 "Order of checks". */
export function decode(
  { request, route, parameter, principal, trace, names }: Authenticated,
  deps: Pick<Deps, "catalog">,
): Decoded {
  checkBody(request);
  checkCacheWish(request.headers);
  const protocol = protocols[route.protocol];
  const address = protocol.address?.(parameter, {
    query: request.query,
    headers: request.headers,
    path: route.path,
  });
  const { body, fields, named, readCall, measure } = readBody(request, protocol, address);
  refuseDuplicates(named, protocol.keys);
  const name = nameOf(address ?? { model: requiredString(fields, "model") }, principal, deps);
  const caller = { principal, at: request.received_at, names };
  const model = callableModel(name, protocol.capability, caller, deps);
  const wishes = readWishes(request, principal);
  const call = {
    ...readCall(),
    // A client that wants to see the cost wants to see the usage that it stands in.
    ...(wishes.tells_cost && { hide_usage: false }),
    ...(wishes.adapts && { thoughtless: false }),
  };
  checkStream(call, model, protocol);
  checkPlanCount(call, principal, deps.catalog, request.received_at);
  const asked = { request, route, parameter, principal, trace };
  return { ...asked, protocol, body, model, call, size: measure(), ...wishes };
}

/** What a model's name stands for by the caller's policies, else the first of its names that we know, or itself. */
function nameOf(
  { model, also = [], host }: Pick<Address, "model" | "also" | "host">,
  principal: Principal,
  { catalog }: Pick<Deps, "catalog">,
): string {
  const meant = modelMeant([model, ...also], principal, catalog);
  if (meant !== undefined) return meant;
  const known = [model, ...also].find((name) => catalog.find(name));
  return known ?? (host && catalog.hosted(host, model)?.id) ?? model;
}

/** Only some models stream pictures, and a provider may ignore the request to. Throws `invalid_request`. */
function checkStream({ stream }: ChatCall, { id, capabilities }: Model, { kind }: Protocol): void {
  if (!stream || kind !== "image" || capabilities.includes("stream")) return;
  throw invalidField("stream", `false: the model \`${id}\` answers its pictures whole`);
}
