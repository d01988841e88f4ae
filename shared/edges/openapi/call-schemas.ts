/** The schemas of calls and their receipts (contract §4.10), by their names in the document. */
import { limits } from "../../base/limits.ts";
import { outcomes } from "../../books/reports/listed-call.ts";
import { billingModes } from "./key-schemas.ts";
import * as s from "./schema.ts";

const usage = {
  input_tokens: s.integer,
  output_tokens: s.integer,
  cache_read_tokens: s.integer,
  cache_write_tokens: s.integer,
  generated_images: s.integer,
  video_seconds: s.integer,
};

export const sums = { calls: s.integer, ...usage, cost_points: s.points, list_points: s.points };
const caller = {
  kind: s.orNull(s.string),
  model: s.orNull(s.such(s.string, "Null: a refused call named none that there is.")),
  project_id: s.string,
  key_id: s.string,
  user: s.orNull(s.string),
  billing_mode: s.orNull(s.oneOf(billingModes)),
};

/** Why a call failed or was refused. */
const callError = {
  code: s.integer,
  status: s.orNull(s.such(s.integer, "The HTTP status that its client got; null where nobody answered it.")),
  type: s.string,
  message: s.string,
};
const advice = s.such(s.closed({ en: s.string, zh: s.string }), "What to do about it.");
const said = {
  requested_model: s.such(s.string, "What was asked for, where a fallback answered."),
  tags: {
    ...{ type: "object", additionalProperties: s.string, maxProperties: limits.tagsMax },
    description: "Where it has any.",
  } as s.Schema<Record<string, string>>,
};

/** How the usage became points. */
const figures = {
  required: {
    usage: s.object(usage),
    evidence: s.such(s.string, "Where the counts come from."),
    calls: s.such(s.integer, "What it took of the quota; 0: it is free."),
    tiers: s.list(
      s.object({
        side: s.string,
        basis: s.string,
        tokens: s.integer,
        from: s.integer,
        up_to: s.orNull(s.integer),
      }),
    ),
    ways: s.list(s.object({ way: s.string, value: s.string, multiplier: s.orNull(s.string) })),
    lines: s.list(
      s.object({
        dimension: s.string,
        quantity: s.number,
        unit_price: s.string,
        per: s.such(s.integer, "How many the unit price is for."),
        points: s.points,
      }),
    ),
    list_points: s.points,
    cost_points: s.points,
  },
  optional: { reported: s.such(s.object(usage), "Where it was more than the call could come to.") },
};

const route = s.object({
  attempts: s.list(
    s.object(
      { provider: s.string, outcome: s.string, ms: s.integer },
      {
        model: s.string,
        status: s.integer,
        own_key: s.such(s.just(true), "With the organization's own key."),
      },
    ),
  ),
});

export const callSchemas = {
  Call: s.object(
    {
      id: s.string,
      object: s.just("call"),
      created_at: s.instant,
      ended_at: s.orNull(s.instant),
      ...caller,
      outcome: s.oneOf(outcomes),
      error: s.orNull(s.object(callError)),
      provider: s.orNull(s.string),
      flags: s.list(s.string),
      usage: s.object(usage),
      evidence: s.such(s.string, "Where the counts come from."),
      calls: s.such(s.integer, "What it took of the quota; 0: it is free."),
      list_points: s.points,
      cost_points: s.points,
      corrected: s.boolean,
    },
    said,
  ),
  CallList: s.page(s.ref("Call")),
  Receipt: s.object(
    {
      id: s.string,
      object: s.just("request"),
      status: s.oneOf(["pending", "settled", "repeated", "refused"]),
      created_at: s.instant,
      ended_at: s.orNull(s.instant),
      ...caller,
      entries: s.list(
        s.closed({
          id: s.string,
          kind: s.string,
          points: s.points,
          at: s.instant,
          debit: s.string,
          credit: s.string,
        }),
      ),
    },
    {
      ...said,
      held_points: s.points,
      repeats: s.such(s.string, "The first call, whose answer this is."),
      error: s.orNull(s.object({ ...callError, advice: s.orNull(advice) })),
      path: s.such(s.string, "Of a refused call: what was asked."),
      ...figures.required,
      ...figures.optional,
      outcome: s.oneOf(outcomes),
      provider: s.orNull(s.string),
      attempts: s.such(s.integer, "How often a provider was asked."),
      route: s.orNull(route),
      flags: s.list(s.string),
      price: s.such(s.object({ version: s.string }), "That of the moment of admission."),
      discount_rate: s.string,
      own_fee: s.such(
        s.closed({ share: s.orNull(s.string), call: s.orNull(s.points), of_points: s.points }),
        "Where the organization's own key has paid the provider: our fee, a share of `of_points` or points for the call. The lines add up to `of_points`.",
      ),
      correction: s.orNull(
        s.such(
          s.closed({ estimate: s.object(figures.required, figures.optional), difference_points: s.points }),
          "Where an estimate was corrected.",
        ),
      ),
      reason: s.string,
    },
    "Why a call cost what it cost. Only a settled one has the figures.",
  ),
};
