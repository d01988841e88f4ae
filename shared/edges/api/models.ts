/** The routes that show models: those that a key may use, and all of them for everybody (contract §4.4). */

import { type HttpReply, jsonReply } from "../../base/http/message.ts";
import type { ErrorStyle } from "../../base/http/routes.ts";
import type { Principal } from "../../books/accounts/account.ts";
import {
  anthropicForm,
  geminiForm,
  type ListForm,
  openaiForm,
  publicForm,
} from "../../books/catalog/listing.ts";
import { findModel, type ModelCatalog } from "../../books/catalog/models.ts";
import { modelOf, modelsOf } from "../../books/catalog/plans.ts";
import { pricesRead } from "../../books/catalog/prices-read.ts";

/** The caller. A key sees the models of its plan. */
interface ModelViewer {
  catalog: ModelCatalog;
  caller: Principal;
}

/**
 * The request's query and instant (Unix milliseconds), and the error style of its route. The style also chooses the form
 * of the answer.
 */
export interface ModelQuery {
  query: URLSearchParams;
  style: ErrorStyle;
  at: number;
}

/** The models of a key. Throws `invalid_request` on a bad page query. */
export function listModels({ catalog, caller }: ModelViewer, { query, style, at }: ModelQuery): HttpReply {
  return jsonReply(formOf(style).list(modelsOf(caller, catalog, at), query, at));
}

/** A model of a key, by id, alias or normalised name. Throws `not_found` and `permission_denied`. */
export function retrieveModel(
  { catalog, caller }: ModelViewer,
  { style, at }: Omit<ModelQuery, "query">,
  name: string,
): HttpReply {
  return jsonReply(formOf(style).one(modelOf(name, caller, catalog, at), at));
}

/** `GET /api/v1/models`, with the days of the oldest and the newest price. Throws `invalid_request` on a bad page query. */
export function listPublicModels(catalog: ModelCatalog, { query, style, at }: ModelQuery): HttpReply {
  const form = formOf(style);
  const body = form.list(catalog.models(), query, at);
  if (form !== publicForm) return publicly(body);
  return publicly({
    ...body,
    prices_read: pricesRead(catalog.models().map(({ price_source }) => price_source)),
  });
}

/** `GET /api/v1/models/{id}`. Throws `not_found`. */
export function retrievePublicModel(
  catalog: ModelCatalog,
  { style, at }: Omit<ModelQuery, "query">,
  name: string,
): HttpReply {
  return publicly(
    formOf(style).one(
      findModel(name, catalog, () => catalog.models()),
      at,
    ),
  );
}

/** The form that the clients of an error style read. Any client may call a route of the standard style. */
function formOf(style: ErrorStyle): ListForm {
  if (style === "standard") return publicForm;
  if (style === "gemini") return geminiForm;
  return style === "anthropic" || style === "anthropic_superset" ? anthropicForm : openaiForm;
}

/** An answer that caches may keep. Its form depends on the headers by which clients differ. */
function publicly(body: object): HttpReply {
  const reply = jsonReply(body);
  const vary = "anthropic-version, x-goog-api-key";
  return { ...reply, headers: { ...reply.headers, "cache-control": "public, max-age=60", vary } };
}
