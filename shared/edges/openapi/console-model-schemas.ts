/** The schemas of models as the console shows them (edges/console/operations/models.ts). */
import { channelHealths } from "../../calls/routing/order.ts";
import { whole } from "./console-schemas.ts";
import { publicModel, publicModelOptions } from "./model-schemas.ts";
import * as s from "./schema.ts";

const measured = s.orNull(s.such(s.number, "Null: nobody has measured it."));

const model = {
  ...publicModel,
  plans: s.such(s.list(s.string), "Those whose keys may use it."),
  providers: s.such(s.list(s.string), "Who may answer, whom is asked first first."),
  inputs: s.such(
    s.list(s.oneOf(["image", "pdf", "audio", "video"])),
    "What a message may contain beside text.",
  ),
  reasoning_efforts: s.such(s.list(s.string), "The words for its effort that it takes."),
  price_source: s.orNull(
    s.such(
      s.closed({ source: s.string, as_of: s.such(s.string, { pattern: "^\\d{4}-\\d\\d-\\d\\d$" }) }),
      "Where the price was read, and when. It changes no charge.",
    ),
  ),
};

const provider = s.closed({
  provider: s.string,
  asked: s.such(s.oneOf(["first", "later"]), "`later`: when those that are first fail."),
  state: s.orNull(
    s.such(
      s.oneOf(channelHealths),
      "The best of its keys. Null: nothing was measured in 15 minutes. Calls that one provider alone could take are not.",
    ),
  ),
  uptime_5m: measured,
  uptime_15m: s.such(measured, "The share of answers among answers and faults."),
  first_byte_ms: s.closed({ p50: measured, p95: measured }),
  tokens_per_second: measured,
});

export const consoleModelSchemas = {
  ModelList: whole(s.ref("Model")),
  Model: s.closed(model, publicModelOptions),
  ModelProviders: s.closed({
    object: s.just("list"),
    model: s.string,
    at: s.such(s.instant, "When the board was read."),
    data: s.list(provider),
  }),
};
