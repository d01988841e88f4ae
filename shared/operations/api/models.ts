/** The lists of models and single models: those of a key, and all of them for everybody (contract §4.4). */
import type { Principal } from "../../accounts/account.ts";
import { anthropicForm, type Form, geminiForm, openaiForm, publicForm } from "../../catalog/listing.ts";
import { findModel, type ModelCatalog } from "../../catalog/models.ts";
import { modelOf, modelsOf } from "../../catalog/plans.ts";
import { type HttpReply, jsonReply } from "../../http/message.ts";
import type { ErrorStyle } from "../../http/routes.ts";

/** Who asks, and when (Unix milliseconds): a key is shown the models that its plan has. */
export interface Asker {
  catalog: ModelCatalog;
  caller: Principal;
  now: number;
}

/** What is asked for: the query of the request, and the style of its route, which is also the form of the answer. */
export interface Asked {
  query: URLSearchParams;
  style: ErrorStyle;
}

/** The models of a key. Throws `invalid_request` on a page that cannot be. */
export function listModels({ catalog, caller, now }: Asker, { query, style }: Asked): HttpReply {
  return jsonReply(formOf(style).list(modelsOf(caller, catalog, now), query));
}

/** One of them, by id, alias or normalised name. Throws `not_found` and `permission_denied`. */
export function retrieveModel(
  { catalog, caller, now }: Asker,
  { style }: Pick<Asked, "style">,
  name: string,
): HttpReply {
  return jsonReply(formOf(style).one(modelOf(name, caller, catalog, now)));
}

/** `GET /api/v1/models`. Throws `invalid_request` on a page that cannot be. */
export function listPublicModels(catalog: ModelCatalog, { query, style }: Asked): HttpReply {
  return publicly(formOf(style).list(catalog.models(), query));
}

/** `GET /api/v1/models/{id}`. Throws `not_found`. */
export function retrievePublicModel(
  catalog: ModelCatalog,
  { style }: Pick<Asked, "style">,
  name: string,
): HttpReply {
  return publicly(formOf(style).one(findModel(name, catalog, () => catalog.models())));
}

/** The clients that read a style read this form. Behind the standard style may be anybody's. */
function formOf(style: ErrorStyle): Form {
  if (style === "standard") return publicForm;
  if (style === "gemini") return geminiForm;
  return style === "anthropic" || style === "anthropic_superset" ? anthropicForm : openaiForm;
}

/** The answer is for everybody, but its form depends on whose client asks. */
function publicly(body: object): HttpReply {
  const reply = jsonReply(body);
  const vary = "anthropic-version, x-goog-api-key";
  return { ...reply, headers: { ...reply.headers, "cache-control": "public, max-age=60", vary } };
}
