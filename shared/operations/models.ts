/** The model lists: the key's own, one model, and the public one (contract §4.4). */

import { openaiModel, publicList } from "../catalog/listing.ts";
import type { ModelCatalog } from "../catalog/models.ts";
import { GatewayError } from "../errors.ts";
import type { HttpReply } from "../http/message.ts";

/** `GET /v1/models`. */
export function listModels(catalog: ModelCatalog): HttpReply {
  return json({ object: "list", data: catalog.models().map(openaiModel) });
}

/** `GET /v1/models/{id}`: by id, alias or normalised name. Throws `not_found`. */
export function retrieveModel(catalog: ModelCatalog, name: string): HttpReply {
  const model = catalog.find(name);
  if (!model) {
    const message = `The model \`${name.slice(0, 100)}\` does not exist.`;
    throw new GatewayError("not_found", { message, param: "model" });
  }
  return json(openaiModel(model));
}

/** `GET /api/v1/models`: one body that the OpenAI, Anthropic and Gemini list calls can all read. */
export function listPublicModels(catalog: ModelCatalog): HttpReply {
  const reply = json(publicList(catalog.models()));
  return { ...reply, headers: { ...reply.headers, "cache-control": "public, max-age=60" } };
}

function json(body: object): HttpReply {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
