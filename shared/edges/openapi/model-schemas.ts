/** The schemas of models in each vendor's form (contract §2.9, contract §4.4), by their names in the document. */
import { channelHealths } from "../../calls/routing/order.ts";
import {
  boolean,
  closed,
  instant,
  integer,
  just,
  list,
  number,
  object,
  oneOf,
  orNull,
  points,
  ref,
  type Schema,
  string,
  such,
} from "./schema.ts";

const nothing: Schema<null> = { type: "null" };

const openaiModel = {
  id: string,
  object: just("model"),
  created: such(integer, "Unix seconds."),
  owned_by: string,
  display_name: string,
  capabilities: list(string),
};

const geminiModel = {
  name: such(string, "`models/` and the id."),
  displayName: string,
  inputTokenLimit: integer,
  outputTokenLimit: integer,
  thinking: boolean,
  supportedGenerationMethods: list(string),
};

const anthropicModel = {
  type: just("model"),
  id: string,
  display_name: string,
  created_at: instant,
  lifecycle: just("active"),
  deprecated_at: nothing,
  retires_at: nothing,
  line: nothing,
  max_input_tokens: orNull(integer),
  max_tokens: orNull(integer),
  capabilities: nothing,
};

/** A model in the forms of OpenAI, Anthropic and Google in one, with its price. */
export const publicModel = {
  ...openaiModel,
  ...geminiModel,
  type: just("model"),
  created_at: instant,
  aliases: list(string),
  context_tokens: integer,
  output_tokens: integer,
  protocols: list(string),
  price: object(
    { mode: string },
    {},
    "Points by the mode: of a million tokens, of a picture or of a second. `rates.batch` is what the vendor asks for batches, and no call is charged by it.",
  ) as Schema<object>,
  discount_rate: points,
  permission: orNull(such(string, "The permission that a key needs for it.")),
  video: orNull(object({}, {}, "What a video model can make.")),
};

export const modelSchemas = {
  OpenaiModel: closed(openaiModel),
  OpenaiModelList: closed({ object: just("list"), data: list(ref("OpenaiModel")) }),
  AnthropicModel: closed(anthropicModel),
  AnthropicModelList: closed({
    data: list(ref("AnthropicModel")),
    has_more: boolean,
    first_id: orNull(string),
    last_id: orNull(string),
  }),
  GeminiModel: closed(geminiModel),
  GeminiModelList: closed({ models: list(ref("GeminiModel")) }, { nextPageToken: string }),
  PublicModel: closed(
    publicModel,
    {},
    "A model in the forms of OpenAI, Anthropic and Google in one, with its price.",
  ),
  PricesRead: closed(
    { oldest: string, newest: string },
    {},
    "The days (UTC) on which the oldest and the newest price of the list were read.",
  ),
  PublicModelList: closed({
    object: just("list"),
    data: list(ref("PublicModel")),
    has_more: just(false),
    first_id: orNull(string),
    last_id: orNull(string),
    models: list(ref("GeminiModel")),
    prices_read: orNull(ref("PricesRead")),
  }),
  ModelRoutes: closed({
    object: just("list"),
    model: string,
    routing: oneOf(["smart", "basic"]),
    data: list(
      closed({
        provider: string,
        state: orNull(oneOf(channelHealths)),
        uptime_5m: orNull(number),
        uptime_15m: orNull(number),
        first_byte_ms: closed({ p50: orNull(number), p95: orNull(number) }),
        tokens_per_second: orNull(number),
        cached_share: orNull(number),
      }),
    ),
  }),
};
