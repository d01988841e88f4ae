/** The answers that usage events tell of, as counts for the board. They are counted when events are settled. */
import { sizeOf } from "../../books/billing/pricing/tiers.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { type BoardAddition, boardSpanMs, type ChannelCounts, windowMs, windowOf } from "./board.ts";
import { histogramOf } from "./histogram.ts";
import { countedOn } from "./views.ts";
import { laneOf, witnessOf } from "./witness.ts";

/**
 * Counts the complete answers, by model and window of the call's end. A call that only one channel could take has no
 * order. A window counts if it is kept, and at most a window ahead of `now` (Unix milliseconds).
 */
export function answersOf(events: readonly UsageEvent[], now: number): BoardAddition[] {
  const additions = new Map<string, BoardAddition>();
  for (const event of events) {
    const { model, ended_at } = event;
    const at = windowOf(ended_at);
    const told = answerOf(event);
    if (!told || at <= now - boardSpanMs || at > now + windowMs) continue;
    const name = `${at} ${model}`;
    const addition = additions.get(name) ?? { model, at, channels: {} };
    additions.set(name, addition);
    addition.channels[told.channel] = countedOn(addition.channels[told.channel], told.counts);
  }
  return [...additions.values()];
}

function answerOf(event: UsageEvent): { channel: string; counts: Partial<ChannelCounts> } | undefined {
  const { route, outcome, calls, usage } = event;
  const { channel, outcome: last, ms = 0, own_key } = route?.attempts.at(-1) ?? {};
  // An organization's own account says nothing of ours.
  if (!route || route.of < 2 || !channel || own_key) return undefined;
  if (last !== "answered" || outcome !== "completed" || calls === 0) return undefined;
  const streamed = route.generation_ms !== undefined;
  const counts = {
    answers: 1,
    faults: 0,
    limited: 0,
    raced: 0,
    // A whole answer comes with its last token. Its time says how long it is, and not how fast the channel is.
    first_byte: streamed ? histogramOf(ms, laneOf(witnessOf(event.organization))) : [],
    output_tokens: streamed ? usage.output_tokens : 0,
    generation_ms: route.generation_ms ?? 0,
    input_tokens: sizeOf(usage, "input_tokens"),
    cache_read_tokens: usage.cache_read_tokens,
  };
  return { channel, counts };
}
