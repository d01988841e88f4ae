/**
 * Bytes → a call: the body's size and form, then its model and what the caller may do, then its fields (design §4
 * "Order of checks").
 */

import { GatewayError } from "../../base/errors.ts";
import { type FormBody, isFormType, readForm } from "../../base/http/form.ts";
import { checkBody, type HttpRequest } from "../../base/http/message.ts";
import type { CountRoute, InferenceRoute } from "../../base/http/routes.ts";
import { type JsonBody, readJsonObject, refuseDuplicates } from "../../base/json/body.ts";
import { type Fields, invalidField, requiredString } from "../../base/json/fields.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { KeyRecord, Principal } from "../../books/accounts/account.ts";
import {
  defaultValues,
  headerValues,
  type KeyDefaultName,
  keyDefaults,
  noneOfList,
} from "../../books/accounts/key-defaults.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import { checkPlanCount } from "../../books/catalog/plans.ts";
import { callableModel } from "../access/callable-model.ts";
import { checkCacheWish } from "../cache/wishes.ts";
import { type InputSize, longTextPlaces, measureInput } from "../chat/measure.ts";
import type { ExchangedCall } from "../exchange/call.ts";
import { protocols } from "../protocols/index.ts";
import type { Address, Protocol } from "../protocols/protocol.ts";
import { type Preferences, readPreferences } from "../routing/preferences.ts";
import type { CallTrace } from "../telemetry/trace.ts";
import type { Deps } from "./deps.ts";

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
export interface Decoded extends Authenticated, ExchangedCall {
  request: HttpRequest;
  /** The client wants the cost beside the usage. */
  tells_cost: boolean;
  /** What becomes of a stream whose client hangs up: `abort` breaks its provider off. Absent: it is read to its end. */
  on_disconnect: "drain" | "abort" | undefined;
  /** The client wants to see what its channels were ordered by. */
  explains: boolean;
  /** What the client wishes of the order of channels. */
  preferences: Preferences | undefined;
}

/** Decodes an inference request. Throws the catalog's errors in the order of design §4 "Order of checks". */
export function decode(
  { request, route, parameter, principal, trace, names }: Authenticated,
  deps: Pick<Deps, "catalog">,
): Decoded {
  checkBody(request);
  checkCacheWish(request.headers);
  const protocol = protocols[route.protocol];
  const address = protocol.address?.(parameter, request.query);
  const { body, fields, named, readCall, measure } = readBody(request, protocol, address);
  refuseDuplicates(named, protocol.keys);
  const name = address?.model ?? requiredString(fields, "model");
  const caller = { principal, at: request.received_at, names };
  const model = callableModel(name, protocol.capability, caller, deps);
  // A client that wants to see the cost wants to see the usage that it stands in.
  const tells_cost = wish(request, "x-gateway-usage", ["cost"]) !== undefined;
  const drops_tools = wishOf(request, principal, "allow_drop").includes("tools");
  const adapts = wish(request, "x-gateway-adapt", ["1"]) !== undefined;
  const explains = wish(request, "x-gateway-explain", ["1"]) !== undefined;
  const [cache_points] = wishOf(request, principal, "cache_points");
  const [on_disconnect] = wishOf(request, principal, "on_disconnect");
  const preferences = readPreferences(request.headers["x-gateway-route"]);
  const wished = { tells_cost, drops_tools, adapts, explains, cache_points, on_disconnect, preferences };
  const call = {
    ...readCall(),
    ...(tells_cost && { hide_usage: false }),
    ...(adapts && { thoughtless: false }),
  };
  checkStream(call, model, protocol);
  checkPlanCount(call, principal, deps.catalog, request.received_at);
  const asked = { request, route, parameter, principal, trace };
  return { ...asked, protocol, body, model, call, size: measure(), ...wished };
}

/** Only some models stream pictures, and a provider may ignore the request to. Throws `invalid_request`. */
function checkStream({ stream }: ChatCall, { id, capabilities }: Model, { kind }: Protocol): void {
  if (!stream || kind !== "image" || capabilities.includes("stream")) return;
  throw invalidField("stream", `false: the model \`${id}\` answers its pictures whole`);
}

/** What a call wishes by a header of the table, else its key by a default. Throws `invalid_request` as `wish`. */
function wishOf<Name extends KeyDefaultName>(
  request: HttpRequest,
  { key }: { key: Pick<KeyRecord, "defaults"> },
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

/** A body of either kind. Its fields are read and its size is measured once its model is known. */
interface Reading {
  body: JsonBody | FormBody;
  /** Its fields by name. Long texts may be a `LongText`. */
  fields: Fields;
  /** Its fields in order, with those that are repeated. */
  named: readonly { key: string }[];
  readCall(): ChatCall;
  measure(): InputSize;
}

function readBody(request: HttpRequest, protocol: Protocol, address: Address | undefined): Reading {
  const { forms } = protocol;
  const type = request.headers["content-type"];
  if (forms && isFormType(type)) {
    const body = readForm(request.body, type);
    return {
      body,
      fields: body.value,
      named: body.parts,
      readCall: () => forms.read(body),
      measure: () => measureForm(body),
    };
  }
  const body = readJsonObject(request.body, longTextPlaces);
  return {
    body,
    fields: body.outline,
    named: body.members,
    readCall: () => protocol.readRequest(body, address),
    measure: () => measureInput(body.outline, body.bytes.length),
  };
}

function measureForm({ parts }: FormBody): InputSize {
  const texts = parts.filter(({ file }) => !file);
  return {
    text_bytes: texts.reduce((bytes, { content }) => bytes + content.length, 0),
    pictures: parts.length - texts.length,
    files: 0,
  };
}
