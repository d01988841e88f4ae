/** Reads a body, JSON or a form, so that its fields and its size may be asked for once its model is known. */

import { type FormBody, isFormType, readForm } from "../../base/http/form.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import { type JsonBody, readJsonObject } from "../../base/json/body.ts";
import type { Fields } from "../../base/json/fields.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import { type InputSize, longTextPlaces, measureForm, measureInput } from "../chat/measure.ts";
import type { Address, Protocol } from "../protocols/protocol.ts";

interface Reading {
  body: JsonBody | FormBody;
  /** Its fields by name. Long texts may be a `LongText`. */
  fields: Fields;
  /** Its fields in order, with those that are repeated. */
  named: readonly { key: string }[];
  readCall(): ChatCall;
  measure(): InputSize;
}

/** The body of a request in this protocol. Throws `invalid_request` where it can be read as neither. */
export function readBody(request: HttpRequest, protocol: Protocol, address: Address | undefined): Reading {
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
