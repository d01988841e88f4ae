/** The schemas of calls and their receipts (contract §4.10), by their names in the document. */
import { outcomes } from "../../books/reports/listed-call.ts";
import { billingModes } from "./key-schemas.ts";
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
  page,
  points,
  ref,
  string,
  such,
} from "./schema.ts";

const usage = {
  input_tokens: integer,
  output_tokens: integer,
  cache_read_tokens: integer,
  cache_write_tokens: integer,
  generated_images: integer,
  video_seconds: integer,
};

/** The sums of a report. */
export const sums = { calls: integer, ...usage, cost_points: points, list_points: points };
const caller = {
  kind: orNull(string),
  model: orNull(such(string, "Null: a refused call named none that there is.")),
  project_id: string,
  key_id: string,
  user: orNull(string),
  billing_mode: orNull(oneOf(billingModes)),
};

/** Why a call failed or was refused. */
const callError = {
  code: integer,
  status: orNull(such(integer, "The HTTP status that its client got; null where nobody answered it.")),
  type: string,
  message: string,
};
const advice = such(closed({ en: string, zh: string }), "What to do about it.");
const asked = { requested_model: such(string, "What was asked for, where a fallback answered.") };

/** How the usage became points. */
const figures = {
  required: {
    usage: object(usage),
    evidence: such(string, "Where the counts come from."),
    calls: such(integer, "What it took of the quota; 0: it is free."),
    tiers: list(
      object({ side: string, basis: string, tokens: integer, from: integer, up_to: orNull(integer) }),
    ),
    ways: list(object({ way: string, value: string, multiplier: orNull(string) })),
    lines: list(
      object({
        dimension: string,
        quantity: number,
        unit_price: string,
        per: such(integer, "How many the unit price is for."),
        points,
      }),
    ),
    list_points: points,
    cost_points: points,
  },
  optional: { reported: such(object(usage), "Where it was more than the call could come to.") },
};

const route = object({
  attempts: list(
    object({ provider: string, outcome: string, ms: integer }, { model: string, status: integer }),
  ),
});

/** The schemas by their names. */
export const callSchemas = {
  Call: object(
    {
      id: string,
      object: just("call"),
      created_at: instant,
      ended_at: orNull(instant),
      ...caller,
      outcome: oneOf(outcomes),
      error: orNull(object(callError)),
      provider: orNull(string),
      flags: list(string),
      usage: object(usage),
      evidence: such(string, "Where the counts come from."),
      calls: such(integer, "What it took of the quota; 0: it is free."),
      list_points: points,
      cost_points: points,
      corrected: boolean,
    },
    asked,
  ),
  CallList: page(ref("Call")),
  Receipt: object(
    {
      id: string,
      object: just("request"),
      status: oneOf(["pending", "settled", "repeated", "refused"]),
      created_at: instant,
      ended_at: orNull(instant),
      ...caller,
      entries: list(closed({ id: string, kind: string, points, at: instant, debit: string, credit: string })),
    },
    {
      ...asked,
      held_points: points,
      repeats: such(string, "The first call, whose answer this is."),
      error: orNull(object({ ...callError, advice: orNull(advice) })),
      path: such(string, "Of a refused call: what was asked."),
      ...figures.required,
      ...figures.optional,
      outcome: oneOf(outcomes),
      provider: orNull(string),
      attempts: such(integer, "How often a provider was asked."),
      route: orNull(route),
      flags: list(string),
      price: such(object({ version: string }), "That of the moment of admission."),
      discount_rate: string,
      correction: orNull(
        such(
          closed({ estimate: object(figures.required, figures.optional), difference_points: points }),
          "Where an estimate was corrected.",
        ),
      ),
      reason: string,
    },
    "Why a call cost what it cost. Only a settled one has the figures.",
  ),
};
