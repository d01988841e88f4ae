/** What an OpenAI chat request switches on, and what a reply says of it (protocols.md §1.1, §1.2, §4.2, §5). */

import { type Fields, isObject } from "../../../base/json/fields.ts";
import type { Switch } from "../../../books/billing/pricing/rates.ts";
import type { UsageDetails } from "../../../books/billing/usage.ts";
import { counter } from "../counters.ts";
import {
  detailsOf,
  isGiven,
  modalitiesOf,
  objectAt,
  objectsAt,
  someObject,
  tokenKindSwitches,
  toolSwitch,
  toolSwitches,
  waySwitch,
} from "../switches.ts";
import { usageOf } from "./pass-through/usage.ts";

/** Tools that the client runs, and those of providers that cost nothing but tokens. */
const tools = { client: new Set(["function", "custom"]), free: new Set(["mcp"]) };

/** Throws `invalid_request` where a switch is no text. */
export function readSwitches(fields: Fields, choices: number): Switch[] {
  const modalities = modalitiesOf(fields.modalities);
  const hearsAudio = someObject(fields.messages, ({ type }) => type === "input_audio");
  const keepsLong =
    objectAt(fields, "prompt_cache_options").ttl === "12h" ||
    someObject(fields.messages, (part) => objectAt(part, "prompt_cache_breakpoint").ttl === "12h");
  return [
    ...waySwitch(fields, "service_tier"),
    ...tokenKindSwitches(
      [hearsAudio, "messages.content.input_audio", "audio_input", { crosses: true }],
      [hearsAudio, "messages.content.input_audio", "audio_cache_read", { implied: true }],
      [modalities.includes("audio"), "modalities", "audio_output"],
      [modalities.includes("image"), "modalities", "image_output"],
      [keepsLong, "prompt_cache_options.ttl", "cache_write_12h"],
    ),
    ...(isGiven(fields, "web_search_options")
      ? [toolSwitch("web_search_options", "web_search", choices)]
      : []),
    ...toolSwitches(fields, tools),
  ];
}

/** What a whole reply or a chunk says besides its counts. */
export function readDetails(chunk: Fields): UsageDetails {
  const usage = usageOf(chunk) ?? {};
  const prompt = objectAt(usage, "prompt_tokens_details");
  const completion = objectAt(usage, "completion_tokens_details");
  const cached = counter(prompt.audio_cached_tokens);
  return detailsOf({
    ways: { service_tier: chunk.service_tier },
    tokens: {
      cache_write_12h: objectAt(prompt, "cache_write_tokens_details").ttl_12h_tokens,
      audio_input: Math.max(0, counter(prompt.audio_tokens) - cached),
      audio_cache_read: cached,
      audio_output: completion.audio_tokens,
      image_output: completion.image_tokens,
    },
    calls: { web_search: searchesOf(chunk) },
  });
}

/** Whether a frame may show a search. Annotations and results come in chunks of their own. */
export function tellsOfSearch(frame: Buffer): boolean {
  return frame.includes('"annotations"') || frame.includes('"web_search"');
}

/** Providers do not count searches. An answer that cites pages, or lists results, has searched once. */
function searchesOf(chunk: Fields): number {
  const results = chunk.web_search;
  const found = Array.isArray(results) && results.length > 0;
  const cites = objectsAt(chunk, "choices").some(({ item }) =>
    [item.message, item.delta].some(
      (message) =>
        isObject(message) &&
        objectsAt(message, "annotations").some(({ item: { type } }) => type === "url_citation"),
    ),
  );
  return found || cites ? 1 : 0;
}
