/** The model lists: the key's own, one model, and the public one (contract §4.4). */
import { openaiModel, publicList } from "../catalog/listing.ts";
import { findModel, type ModelCatalog } from "../catalog/models.ts";
import { type HttpReply, jsonReply } from "../http/message.ts";

/** `GET /v1/models`. */
export function listModels(catalog: ModelCatalog): HttpReply {
  return jsonReply({ object: "list", data: catalog.models().map(openaiModel) });
}

/** `GET /v1/models/{id}`: by id, alias or normalised name. Throws `not_found`. */
export function retrieveModel(catalog: ModelCatalog, name: string): HttpReply {
  return jsonReply(openaiModel(findModel(name, catalog)));
}

/** `GET /api/v1/models`: one body that the OpenAI, Anthropic and Gemini list calls can all read. */
export function listPublicModels(catalog: ModelCatalog): HttpReply {
  const reply = jsonReply(publicList(catalog.models()));
  return { ...reply, headers: { ...reply.headers, "cache-control": "public, max-age=60" } };
}
