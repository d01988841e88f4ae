/** The model lists and single models: those of a key, the public ones and Gemini's (contract §4.4). */
import type { Principal } from "../billing/account.ts";
import { geminiModel, openaiModel, publicList, publicModel } from "../catalog/listing.ts";
import { findModel, type ModelCatalog } from "../catalog/models.ts";
import { modelOf, modelsOf } from "../catalog/plans.ts";
import { type HttpReply, jsonReply } from "../http/message.ts";

/** Who asks, and when (Unix milliseconds): a key is shown the models that its plan has. */
export interface Asker {
  catalog: ModelCatalog;
  caller: Principal;
  now: number;
}

/** `GET /v1/models`. */
export function listModels({ catalog, caller, now }: Asker): HttpReply {
  return jsonReply({ object: "list", data: modelsOf(caller, catalog, now).map(openaiModel) });
}

/** `GET /v1/models/{id}`: by id, alias or normalised name. Throws `not_found` and `permission_denied`. */
export function retrieveModel({ catalog, caller, now }: Asker, name: string): HttpReply {
  return jsonReply(openaiModel(modelOf(name, caller, catalog, now)));
}

/** `GET /api/v1/models`: one body that the OpenAI, Anthropic and Gemini list calls can all read. */
export function listPublicModels(catalog: ModelCatalog): HttpReply {
  return publicly(publicList(catalog.models()));
}

/** `GET /api/v1/models/{id}`: its entry in that list, which all three read too. Throws `not_found`. */
export function retrievePublicModel(catalog: ModelCatalog, name: string): HttpReply {
  return publicly(publicModel(findModel(name, catalog, () => catalog.models())));
}

/** `GET …/v1beta/models`, always one whole page. */
export function listGeminiModels({ catalog, caller, now }: Asker): HttpReply {
  return jsonReply({ models: modelsOf(caller, catalog, now).map(geminiModel) });
}

/** `GET …/v1beta/models/{id}`. Throws `not_found` and `permission_denied`. */
export function retrieveGeminiModel({ catalog, caller, now }: Asker, name: string): HttpReply {
  return jsonReply(geminiModel(modelOf(name, caller, catalog, now)));
}

function publicly(body: object): HttpReply {
  const reply = jsonReply(body);
  return { ...reply, headers: { ...reply.headers, "cache-control": "public, max-age=60" } };
}
