/** The models as the console shows them: what each takes, gives and costs, and how the providers of one do. */

import { keptText } from "../../../base/http/kept-text.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import type { Model, ReadyChannel } from "../../../books/catalog/catalog.ts";
import { publicModel } from "../../../books/catalog/listing.ts";
import { findModel, type ModelCatalog } from "../../../books/catalog/models.ts";
import { nextChange } from "../../../books/catalog/next-price.ts";
import type { InputForm } from "../../../books/catalog/traits.ts";
import { channelHealths } from "../../../calls/routing/order.ts";
import { inUse } from "../../../calls/routing/taken-out.ts";
import { witnessOf } from "../../../calls/routing/witness.ts";
import { type BoardDeps, boardOf, measuresOf, type RouteReader, statesOf } from "../../api/model-routes.ts";
import type { ConsoleAnswer, ConsoleReply } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";

interface ModelsDeps {
  catalog: ModelCatalog;
}

/**
 * `GET /api/v1/models`. The list is the same for everybody, so it is made once until a price changes, and a browser asks
 * if it is still good.
 */
export function createModelList({ catalog }: ModelsDeps): (call: ConsoleCall) => ConsoleReply<"list_models"> {
  let made: { of: readonly Model[]; until: number; reply: ReturnType<typeof keptText> } | undefined;
  return ({ request }) => {
    readQuery(request.query, {});
    const models = catalog.models();
    const at = request.received_at;
    if (made?.of !== models || at >= made.until) {
      const text = JSON.stringify(listOf(models, catalog, at));
      made = { of: models, until: nextChange(models, at), reply: keptText(text) };
    }
    const said = { "cache-control": "private, no-cache" };
    const own = { "content-type": "application/json" };
    return made.reply(request.headers, { said, own }) as ConsoleReply<"list_models">;
  };
}

function listOf(models: readonly Model[], catalog: ModelCatalog, at: number): ConsoleAnswer<"list_models"> {
  return {
    object: "list",
    data: models.map((model) => consoleModel(model, catalog, at)),
    has_more: false,
    last_id: models.at(-1)?.id ?? null,
  };
}

/** What a message may contain beside text. */
const media = ["image", "pdf", "audio", "video"] as const;

function consoleModel(model: Model, catalog: ModelCatalog, at: number) {
  const { inputs, reasoning } = traitsOf(model, catalog);
  const takes = (kind: string) =>
    inputs
      ? inputs.some((form: InputForm) => form.startsWith(kind))
      : kind === "image" && seesPictures(model);
  return {
    ...publicModel(model, at),
    plans: catalog.plansWith(model),
    providers: providersOf(model).map(({ provider }) => provider),
    inputs: media.filter(takes),
    reasoning_efforts: reasoning?.efforts ?? [],
    price_source: model.price_source,
  };
}

const seesPictures = ({ capabilities }: Model): boolean =>
  capabilities.some((each) => ["vision", "multimodal_embeddings", "image_edits"].includes(each));

/** What the model takes at the channel that is asked first. */
function traitsOf(model: Model, catalog: ModelCatalog) {
  const [first] = byPriority(model);
  const [protocol] = model.protocols;
  return first && protocol ? catalog.traits(model, first, protocol) : {};
}

const byPriority = ({ channels }: WithChannels): ReadyChannel[] =>
  channels.toSorted((one, other) => one.priority - other.priority);

interface WithChannels {
  channels: readonly ReadyChannel[];
}

interface ProviderOfModel {
  provider: string;
  /** It shares the calls with the others that are first. All others are asked when those fail. */
  asked: "first" | "later";
  channels: ReadyChannel[];
}

/** The providers of a model, those that are asked first first. One with several keys is one. */
function providersOf(model: WithChannels): ProviderOfModel[] {
  const channels = byPriority(model);
  const first = channels[0]?.priority;
  return [...Map.groupBy(channels, ({ provider }) => provider)].map(([provider, its]) => ({
    provider,
    asked: its.some(({ priority }) => priority === first) ? "first" : "later",
    channels: its,
  }));
}

/**
 * `GET /api/v1/models/{model}/routes`. The console knows no provider's key, so it names every provider of the catalog.
 * The state is null where nothing was measured in 15 minutes, or the board cannot be read. Throws `not_found`.
 */
export async function listRoutes(call: ConsoleCall, deps: ModelsDeps & BoardDeps) {
  readQuery(call.request.query, {});
  const { catalog } = deps;
  const model = findModel(call.parameters.model ?? "", catalog, () => catalog.models());
  const now = call.request.received_at;
  const seen: RouteReader = { now, witness: witnessOf(callerOf(call).organization.id) };
  const board = await boardOf(model.id, now, deps);
  const channels = inUse(model.channels, board, now);
  const states = board && statesOf(channels, board, seen);
  return jsonReply({
    object: "list",
    model: model.id,
    at: new Date(now).toISOString(),
    data: providersOf({ channels }).map(({ provider, asked, channels }) => {
      const ids = channels.map(({ id }) => id);
      // How much of its input a provider reads from its cache tells how others ask, and nothing of the provider.
      const { cached_share: _, ...measures } = measuresOf(board, ids, seen);
      const best = channelHealths.find((health) => ids.some((id) => states?.get(id) === health)) ?? null;
      const isUnseen = best === "good" && measures.uptime_15m === null;
      return { provider, asked, state: isUnseen ? null : best, ...measures };
    }),
  });
}
