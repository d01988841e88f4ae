/** Bytes → a call we understand: size and JSON, then model and capability, then fields (design §4, order of checks). */
import type { Principal } from "../billing/account.ts";
import type { Model } from "../catalog/catalog.ts";
import type { ChatCall } from "../chat/call.ts";
import { type InputSize, measureInput } from "../chat/estimate.ts";
import { GatewayError } from "../errors.ts";
import { requiredString } from "../http/fields.ts";
import { type JsonBody, readJsonObject, refuseDuplicates } from "../http/json.ts";
import type { HttpRequest } from "../http/message.ts";
import type { InferenceRoute } from "../http/routes.ts";
import { limits } from "../limits.ts";
import { protocols } from "../protocols/index.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Deps } from "./deps.ts";

/** A call whose caller is known and whose body is understood. */
export interface Decoded {
  request: HttpRequest;
  route: InferenceRoute;
  principal: Principal;
  protocol: Protocol;
  body: JsonBody;
  model: Model;
  call: ChatCall;
  size: InputSize;
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
  route: InferenceRoute,
  principal: Principal,
  deps: Deps,
): Decoded {
  checkBody(request);
  const protocol = protocols[route.protocol];
  const body = readJsonObject(request.body);
  refuseDuplicates(body.members, protocol.keys);
  const model = findModel(requiredString(body.value, "model"), deps);
  if (!model.capabilities.includes("chat")) {
    const message = `The model \`${model.id}\` does not support chat.`;
    throw new GatewayError("invalid_request", { message, param: "model" });
  }
  const call = protocol.readRequest(body);
  const size = measureInput(body.value, body.bytes.length);
  return { request, route, principal, protocol, body, model, call, size };
}

/** A model by id, alias or normalised name. Throws `not_found`, echoing no more than a name's length. */
export function findModel(name: string, deps: Deps): Model {
  const model = Buffer.byteLength(name) <= limits.modelNameBytesMax ? deps.catalog.find(name) : undefined;
  if (!model) {
    const message = `The model \`${name.slice(0, 100)}\` does not exist.`;
    throw new GatewayError("not_found", { message, param: "model" });
  }
  return model;
}
