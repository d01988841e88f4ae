/** The model lists and single models: those of a key, the public ones and Gemini's (contract §4.4). */
import { geminiModel, openaiModel, publicList, publicModel } from "../catalog/listing.ts";
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
  return publicly(publicList(catalog.models()));
}

/** `GET /api/v1/models/{id}`: its entry in that list, which all three read too. Throws `not_found`. */
export function retrievePublicModel(catalog: ModelCatalog, name: string): HttpReply {
  return publicly(publicModel(findModel(name, catalog)));
}

/** `GET …/v1beta/models`, always one whole page. */
export function listGeminiModels(catalog: ModelCatalog): HttpReply {
  return jsonReply({ models: catalog.models().map(geminiModel) });
}

/** `GET …/v1beta/models/{id}`. Throws `not_found`. */
export function retrieveGeminiModel(catalog: ModelCatalog, name: string): HttpReply {
  return jsonReply(geminiModel(findModel(name, catalog)));
}

function publicly(body: object): HttpReply {
  const reply = jsonReply(body);
  return { ...reply, headers: { ...reply.headers, "cache-control": "public, max-age=60" } };
}
