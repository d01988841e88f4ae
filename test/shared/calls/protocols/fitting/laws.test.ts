/**
 * The laws of fitting, for any body at every model of the default catalog. The model takes what comes out. Fitting it
 * again changes nothing. The call can cost no more.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "#infra/local/demo/strictness.ts";
import type { SamplingParameter, Traits } from "#shared/books/catalog/traits.ts";
import { refuseStops } from "#shared/calls/protocols/fitting/inputs.ts";
import { bodies, bodyFor } from "#test/shared/calls/protocols/fitting/fit-bodies.ts";
import { crossings } from "#test/support/crossings.ts";
import { families, fitted, rooms, type Spoken, spoken } from "#test/support/traits.ts";

type Json = Record<string, unknown>;

/** Of the gateway or, where the catalog names no number, of OpenAI's own protocol, whose most is four. */
/** No body with functions fits a model that always reasons, where its vendor takes them without reasoning alone. */
const isRefused = ({ room, vendor, traits }: Spoken, body: Json): boolean => {
  const { always, tools_refused_in } = traits.reasoning ?? {};
  if (always && room === "openai-chat" && tools_refused_in && Array.isArray(body.tools)) return true;
  try {
    refuseStops(crossings[room].asked(body).stop, traits.stop_max ?? (vendor === "openai" ? 4 : undefined));
    return false;
  } catch {
    return true;
  }
};

describe.each(rooms)("fitting a body of %s", (room) => {
  test("changes nothing where no traits are known", () => {
    fc.assert(
      fc.property(bodies[room], (body) => {
        const fit = fitted(room, body, {});
        expect(fit.body).toBe(body);
        expect(fit.own).toEqual([]);
      }),
      { seed: 21 },
    );
  });

  const models = families.filter((each) => each.room === room);

  test.each(models)("gives what $id takes", (model) => {
    fc.assert(
      fc.property(bodyFor(model), (body) => {
        fc.pre(!isRefused(model, body));
        const sent = {
          ...fitted(room, body, model.traits).body,
          ...(room === "gemini" ? {} : { model: model.name }),
        };
        expect(refusalOf(model.vendor, model.name, sent)).toBeUndefined();
      }),
      { seed: 22, numRuns: 100 },
    );
  });

  test.each(models)("comes to an end for $id, costs no more and leaves the rest alone", (model) => {
    fc.assert(
      fc.property(bodyFor(model), (body) => {
        const fit = fitted(room, body, model.traits);
        const again = fitted(room, fit.body, model.traits);
        expect(again.own).toEqual([]);
        expect(again.body).toBe(fit.body);
        expect(boundOf(fit.body)).toBeLessThanOrEqual(boundOf(body));
        const written: Record<string, unknown> = { ...model.traits.fields, ...orderedTurns(model.traits) };
        for (const name of ["messages", "contents", "input", "metadata", "service_tier"]) {
          if (room !== "openai-chat" || !Object.hasOwn(written, name))
            expect(fit.body[name]).toBe(body[name]);
        }
        if (fit.body === body) expect(fit.own).toEqual([]);
        else expect(fit.own.length + quiet(body, fit.body)).toBeGreaterThan(0);
        for (const [name, value] of samplingIn(body)) {
          const kept = samplingIn(fit.body).has(name);
          expect(kept || mayLose(name, model)).toBe(true);
          if (kept && name !== "temperature") expect(samplingIn(fit.body).get(name)).toBe(value);
        }
      }),
      { seed: 23, numRuns: 100 },
    );
  });
});

/** Whether turns are written in another way, for vendors that want reasoning or an order in them. */
const orderedTurns = ({ replay, turns }: Traits) => (replay || turns ? { messages: true } : {});

/** The most tokens that a body's answer may have: what the call is held for. */
function boundOf(body: Json): number {
  const config = (body.generationConfig ?? {}) as Json;
  const maxima = [
    body.max_tokens,
    body.max_completion_tokens,
    body.max_output_tokens,
    config.maxOutputTokens,
  ];
  const given = maxima.filter((each) => typeof each === "number");
  return given.length > 0 ? Math.max(...given) : Number.POSITIVE_INFINITY;
}

/** Changes that lose nothing and are not named: a provider that keeps no answers is not told to keep none. */
function quiet(before: Json, after: Json): number {
  return before.store === false && after.store === undefined ? 1 : 0;
}

const names: Record<string, SamplingParameter> = {
  topP: "top_p",
  topK: "top_k",
  frequency_penalty: "frequency_penalty",
  random_seed: "seed",
};

function samplingIn(body: Json): Map<SamplingParameter, unknown> {
  const fields = { ...body, ...((body.generationConfig ?? {}) as Json) };
  const found = [
    "temperature",
    "top_p",
    "top_k",
    "topP",
    "topK",
    "seed",
    "random_seed",
    "frequency_penalty",
  ].filter((name) => fields[name] !== undefined);
  return new Map(found.map((name) => [names[name] ?? (name as SamplingParameter), fields[name]]));
}

/** Whether the traits give a reason to leave a parameter out. */
function mayLose(name: SamplingParameter, { traits: { sampling } }: Spoken): boolean {
  const { refused = [], refused_reasoning = [], one_of = [] } = sampling ?? {};
  return [...refused, ...refused_reasoning, ...one_of.flatMap((group) => group.slice(1))].includes(name);
}

test("no body, however odd, makes the rooms throw", () => {
  const odd = fc.jsonValue({ maxDepth: 3 });
  const keys = [
    ...[
      "messages",
      "contents",
      "input",
      "thinking",
      "output_config",
      "generationConfig",
      "tool_choice",
      "tools",
    ],
    ...[
      "reasoning",
      "reasoning_effort",
      "response_format",
      "text",
      "stop",
      "stop_sequences",
      "include",
      "max_tokens",
    ],
    ...["toolConfig", "temperature", "top_p", "store", "max_completion_tokens", "max_output_tokens"],
  ];
  const inner = [
    "type",
    "content",
    "parts",
    "effort",
    "format",
    "thinkingConfig",
    "source",
    "function",
    "image_url",
  ];
  const fields = fc.dictionary(fc.constantFrom(...inner), odd, { noNullPrototype: true });
  const value = fc.oneof(odd, fields, fc.array(fields, { maxLength: 2 }));
  const body = fc.dictionary(fc.constantFrom(...keys), value, { noNullPrototype: true });
  fc.assert(
    fc.property(body, fc.constantFrom(...rooms), fc.constantFrom(...spoken), (fields, room, { traits }) => {
      expect(crossings[room].asked(fields)).toBeDefined();
      expect(fitted(room, fields, traits).body).toBeDefined();
    }),
    { seed: 24, numRuns: 3_000 },
  );
});
