/** Bytes → a call we understand: size and form or JSON, then model and capability, then fields (design §4 "Order of checks"). */
import type { Principal } from "../accounts/account.ts";
import type { Model } from "../catalog/catalog.ts";
import { findModel } from "../catalog/models.ts";
import { checkPlanCount, checkPlanModel, grantedTo } from "../catalog/plans.ts";
import type { ChatCall } from "../chat/call.ts";
import { type InputSize, measureInput } from "../chat/measure.ts";
import { GatewayError } from "../errors.ts";
import { type FormBody, isFormType, readForm } from "../http/form.ts";
import type { HttpRequest } from "../http/message.ts";
import type { CountRoute, InferenceRoute } from "../http/routes.ts";
import { type JsonBody, readJsonObject, refuseDuplicates } from "../json/body.ts";
import { invalidField, requiredString } from "../json/fields.ts";
import { limits } from "../limits.ts";
import { protocols } from "../protocols/index.ts";
import type { Address, Protocol } from "../protocols/protocol.ts";
import type { Deps } from "./deps.ts";

/** A call whose caller is known and whose body is understood. */
export interface Decoded {
  request: HttpRequest;
  route: InferenceRoute | CountRoute;
  principal: Principal;
  protocol: Protocol;
  body: JsonBody | FormBody;
  model: Model;
  call: ChatCall;
  size: InputSize;
  /** The client wants the cost beside the counters. */
  tells_cost: boolean;
  /** The client lets tools go that the model's provider cannot run. */
  drops_tools: boolean;
  /** The client wants its body made to fit the model, also where the provider speaks its protocol. */
  adapts: boolean;
}

/** Refuses bodies we do not read at all: encoded (415) or too large (413). */
export function checkBody(request: HttpRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding && encoding !== "identity") throw new GatewayError("unsupported_encoding");
  if (request.body.length > limits.bodyBytesMax) {
    throw new GatewayError("too_large", { message: `The body is over ${limits.bodyBytesMax} bytes.` });
  }
}

/** Decodes an inference request. Throws the catalog's errors in the order of design §4. */
export function decode(
  request: HttpRequest,
  route: InferenceRoute | CountRoute,
  parameter: string,
  principal: Principal,
  deps: Deps,
): Decoded {
  checkBody(request);
  const protocol = protocols[route.protocol];
  const address = protocol.address?.(parameter, request.query);
  const { body, named, readCall, measure } = readBody(request, protocol, address);
  refuseDuplicates(named, protocol.keys);
  const name = address?.model ?? requiredString(body.value, "model");
  const model = findModel(name, deps.catalog, () =>
    grantedTo(principal, deps.catalog, request.received_at).filter(({ capabilities }) =>
      capabilities.includes(protocol.capability),
    ),
  );
  if (!model.capabilities.includes(protocol.capability)) {
    const message = `The model \`${model.id}\` does not support ${protocol.capability}.`;
    throw new GatewayError("invalid_request", { message, param: "model" });
  }
  checkPermission(model, principal);
  checkPlanModel(model, principal, deps.catalog, request.received_at);
  // A usage that shows the cost is one that the client wants to see.
  const tells_cost = wishes(request, "x-gateway-usage", "cost");
  const drops_tools = wishes(request, "x-gateway-allow-drop", "tools");
  const adapts = wishes(request, "x-gateway-adapt", "1");
  const wished = { tells_cost, drops_tools, adapts };
  const call = {
    ...readCall(),
    ...(tells_cost && { hide_usage: false }),
    ...(adapts && { thoughtless: false }),
  };
  checkStream(call, model, protocol);
  checkPlanCount(call, principal, deps.catalog, request.received_at);
  return { request, route, principal, protocol, body, model, call, size: measure(), ...wished };
}

/** Pictures are streamed by some models only, and a provider may ignore the wish. Throws `invalid_request`. */
function checkStream({ stream }: ChatCall, { id, capabilities }: Model, { kind }: Protocol): void {
  if (!stream || kind !== "image" || capabilities.includes("stream")) return;
  throw invalidField("stream", `false: the model \`${id}\` answers its pictures whole`);
}

/** Whether the client asks for something by a header that has one value. Throws `invalid_request` for any other. */
function wishes({ headers }: HttpRequest, name: string, only: string): boolean {
  const wish = headers[name];
  if (wish === undefined || wish === only) return wish === only;
  const message = `The only value of ${name} is \`${only}\`.`;
  throw new GatewayError("invalid_request", { message, param: name });
}

/** A body in either of its kinds, and what is done with it once its model is known. */
interface Reading {
  body: JsonBody | FormBody;
  /** Its fields in order, repeated ones included. */
  named: readonly { key: string }[];
  readCall(): ChatCall;
  measure(): InputSize;
}

function readBody(request: HttpRequest, protocol: Protocol, address: Address | undefined): Reading {
  const { forms } = protocol;
  const type = request.headers["content-type"];
  if (forms && isFormType(type)) {
    const body = readForm(request.body, type);
    return { body, named: body.parts, readCall: () => forms.read(body), measure: () => measureForm(body) };
  }
  const body = readJsonObject(request.body);
  return {
    body,
    named: body.members,
    readCall: () => protocol.readRequest(body, address),
    measure: () => measureInput(body.value, body.bytes.length),
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

/** Some models are for those who were granted them: both the key and its organization (design §4 "Video permission"). */
export function checkPermission({ id, permission }: Model, { key, organization }: Principal): void {
  if (permission === null) return;
  if (key.permissions.includes(permission) && organization.permissions.includes(permission)) return;
  const message = `The model \`${id}\` needs the permission ${permission}.`;
  throw new GatewayError("permission_denied", { message });
}
