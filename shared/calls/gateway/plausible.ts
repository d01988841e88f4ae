/**
 * Whether the usage that a provider reports can be true of its request. A report that cannot must not ruin a wallet,
 * so the most that the request could use is billed instead. The report is kept, and an operator corrects the bill
 * where it was true.
 */

import { limits } from "../../base/limits.ts";
import type { UsageBounds } from "../../books/billing/pricing/hold-points.ts";
import { sizeOf } from "../../books/billing/pricing/tiers.ts";
import {
  countsOf,
  type Usage,
  type UsageCounts,
  type UsageDetails,
  withDetails,
} from "../../books/billing/usage.ts";
import type { Admitted } from "./admit.ts";
import { coveredNow } from "./strict.ts";

/** The usage that is billed. `reported` is the provider's report, where less than that is billed. */
interface Belief {
  usage: Usage;
  reported?: Usage;
}

type HeldCall = Pick<Admitted, "model" | "call" | "size" | "steps"> & { bounds: UsageBounds };

/**
 * What to believe of a reported usage. `pictures` is the number of pictures in the answer, where it is known. No more
 * pictures are billed than that, and no more than were asked for. Tokens are believed up to four times what the model
 * takes and gives. A tool's calls are believed up to four times the number that is held for. A tool that the request
 * does not name counts as one that it names without a number of calls.
 */
export function believe(usage: Usage, asked: HeldCall, pictures?: number): Belief {
  const images = Math.min(asked.bounds.images ?? 0, pictures ?? Number.POSITIVE_INFINITY);
  const tooMany = usage.generated_images > images;
  if (!tooMany && !isBeyond(usage, asked)) return { usage };
  // A strict stream that took no further step cannot have used more than its steps.
  const bounds = { ...coveredNow(asked), images };
  return {
    usage: withDetails(within(countsOf(usage), bounds), cut(usage.details, bounds)),
    reported: usage,
  };
}

/**
 * Whether more is reported than any answer of this model can use. The tokens of a model without sizes are not
 * checked.
 */
function isBeyond(usage: Usage, { model, call, size, bounds }: HeldCall): boolean {
  const factor = limits.plausibleFactor;
  // A provider reads the input again in each round of its own tools.
  const most = factor * (size.provider_tools ? limits.toolRoundsMax : 1);
  const takes = Math.max(model.context_tokens, bounds.input_tokens);
  const gives = model.output_tokens * call.choices;
  const held = toolsHeld(bounds);
  const counts = [...Object.values(countsOf(usage)), ...Object.values(usage.details?.calls ?? {})];
  return (
    counts.some((count) => count >= limits.tokensMax) ||
    (takes > 0 && sizeOf(usage, "input_tokens") > most * takes) ||
    (gives > 0 && usage.output_tokens > most * gives) ||
    Object.entries(usage.details?.calls ?? {}).some(
      ([name, calls]) => calls > factor * (held.get(name) ?? limits.serverToolCalls),
    )
  );
}

/** How many calls are held for, by tool. A tool that is asked for twice is held for twice. */
function toolsHeld({ switches = [] }: UsageBounds): Map<string, number> {
  const held = new Map<string, number>();
  for (const { kind, name, calls = 0 } of switches) {
    if (kind === "tool") held.set(name, (held.get(name) ?? 0) + calls);
  }
  return held;
}

/** The counts within their bounds. On the input side, the kinds that usually cost most are kept first. */
function within(counts: UsageCounts, bounds: UsageBounds): UsageCounts {
  let room = bounds.input_tokens;
  const take = (count: number): number => {
    const taken = Math.min(count, room);
    room -= taken;
    return taken;
  };
  return {
    ...counts,
    cache_write_tokens: take(counts.cache_write_tokens),
    input_tokens: take(counts.input_tokens),
    cache_read_tokens: take(counts.cache_read_tokens),
    output_tokens: Math.min(counts.output_tokens, bounds.output_tokens),
    generated_images: Math.min(counts.generated_images, bounds.images ?? 0),
  };
}

/** The calls of tools, at most as many as were held for. Parts of counts are cut together with their counts. */
function cut(details: UsageDetails | undefined, bounds: UsageBounds): UsageDetails | undefined {
  if (!details?.calls) return details;
  const held = toolsHeld(bounds);
  const calls = Object.entries(details.calls).map(([name, count]): [string, number] => [
    name,
    Math.min(count, held.get(name) ?? 0),
  ]);
  return { ...details, calls: Object.fromEntries(calls) };
}
