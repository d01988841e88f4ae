/** The schemas of models in each vendor's form (contract §2.9, contract §4.4), by their names in the document. */
import { channelHealths } from "../../calls/routing/order.ts";
import * as s from "./schema.ts";

const nothing: s.Schema<null> = { type: "null" };

const openaiModel = {
  id: s.string,
  object: s.just("model"),
  created: s.such(s.integer, "Unix seconds."),
  owned_by: s.string,
  display_name: s.string,
  capabilities: s.list(s.string),
};

const geminiModel = {
  name: s.such(s.string, "`models/` and the id."),
  displayName: s.string,
  inputTokenLimit: s.integer,
  outputTokenLimit: s.integer,
  thinking: s.boolean,
  supportedGenerationMethods: s.list(s.string),
};

const anthropicModel = {
  type: s.just("model"),
  id: s.string,
  display_name: s.string,
  created_at: s.instant,
  lifecycle: s.just("active"),
  deprecated_at: nothing,
  retires_at: nothing,
  line: nothing,
  max_input_tokens: s.orNull(s.integer),
  max_tokens: s.orNull(s.integer),
  capabilities: nothing,
};

const price = s.object(
  { mode: s.string },
  {},
  "Points by the mode: of a million tokens, of a picture or of a second. `rates.batch` is what the vendor asks for batches, and no call is charged by it.",
) as s.Schema<object>;

/** A model in the forms of OpenAI, Anthropic and Google in one, with its price. */
export const publicModel = {
  ...openaiModel,
  ...geminiModel,
  type: s.just("model"),
  created_at: s.instant,
  aliases: s.list(s.string),
  context_tokens: s.integer,
  output_tokens: s.integer,
  protocols: s.list(s.string),
  price,
  discount_rate: s.points,
  permission: s.orNull(s.such(s.string, "The permission that a key needs for it.")),
  video: s.orNull(s.object({}, {}, "What a video model can make.")),
};

/** What a model may have beside it. */
export const publicModelOptions = {
  next_price: s.such(
    s.closed({
      from: s.such(s.string, { pattern: "^\\d{4}-\\d\\d-\\d\\d$" }),
      price,
      discount_rate: s.points,
    }),
    "What calls cost from the first instant (UTC) of that day on.",
  ),
};

export const modelSchemas = {
  OpenaiModel: s.closed(openaiModel),
  OpenaiModelList: s.closed({ object: s.just("list"), data: s.list(s.ref("OpenaiModel")) }),
  AnthropicModel: s.closed(anthropicModel),
  AnthropicModelList: s.closed({
    data: s.list(s.ref("AnthropicModel")),
    has_more: s.boolean,
    first_id: s.orNull(s.string),
    last_id: s.orNull(s.string),
  }),
  GeminiModel: s.closed(geminiModel),
  GeminiModelList: s.closed({ models: s.list(s.ref("GeminiModel")) }, { nextPageToken: s.string }),
  PublicModel: s.closed(
    publicModel,
    publicModelOptions,
    "A model in the forms of OpenAI, Anthropic and Google in one, with its price.",
  ),
  PricesRead: s.closed(
    { oldest: s.string, newest: s.string },
    {},
    "The days (UTC) on which the oldest and the newest price of the list were read.",
  ),
  PublicModelList: s.closed({
    object: s.just("list"),
    data: s.list(s.ref("PublicModel")),
    has_more: s.just(false),
    first_id: s.orNull(s.string),
    last_id: s.orNull(s.string),
    models: s.list(s.ref("GeminiModel")),
    prices_read: s.orNull(s.ref("PricesRead")),
  }),
  ModelRoutes: s.closed({
    object: s.just("list"),
    model: s.string,
    routing: s.oneOf(["smart", "basic"]),
    data: s.list(
      s.closed({
        provider: s.string,
        state: s.orNull(s.oneOf(channelHealths)),
        uptime_5m: s.orNull(s.number),
        uptime_15m: s.orNull(s.number),
        first_byte_ms: s.closed({ p50: s.orNull(s.number), p95: s.orNull(s.number) }),
        tokens_per_second: s.orNull(s.number),
        cached_share: s.orNull(s.number),
      }),
    ),
  }),
};
