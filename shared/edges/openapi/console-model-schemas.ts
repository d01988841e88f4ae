/** The schemas of models as the console shows them (edges/console/operations/models.ts). */
import { channelHealths } from "../../calls/routing/order.ts";
import { whole } from "./console-schemas.ts";
import { publicModel } from "./model-schemas.ts";
import { closed, instant, just, list, number, oneOf, orNull, ref, string, such } from "./schema.ts";

const measured = orNull(such(number, "Null: nobody has measured it."));

const model = {
  ...publicModel,
  plans: such(list(string), "Those whose keys may use it."),
  providers: such(list(string), "Who may answer, whom is asked first first."),
  inputs: such(list(oneOf(["image", "pdf", "audio", "video"])), "What a message may contain beside text."),
  reasoning_efforts: such(list(string), "The words for its effort that it takes."),
  price_source: orNull(
    such(
      closed({ source: string, as_of: such(string, { pattern: "^\\d{4}-\\d\\d-\\d\\d$" }) }),
      "Where the price was read, and when. It changes no charge.",
    ),
  ),
};

const provider = closed({
  provider: string,
  asked: such(oneOf(["first", "later"]), "`later`: when those that are first fail."),
  state: orNull(
    such(
      oneOf(channelHealths),
      "The best of its keys. Null: nothing was measured in 15 minutes. Calls that one provider alone could take are not.",
    ),
  ),
  uptime_5m: measured,
  uptime_15m: such(measured, "The share of answers among answers and faults."),
  first_byte_ms: closed({ p50: measured, p95: measured }),
  tokens_per_second: measured,
});

export const consoleModelSchemas = {
  ModelList: whole(ref("Model")),
  Model: closed(model),
  ModelProviders: closed({
    object: just("list"),
    model: string,
    at: such(instant, "When the board was read."),
    data: list(provider),
  }),
};
