/** What a Responses request switches on, and what a response says of it (protocols.md §1.6). */

import { asText, entryOf, type Fields } from "../../../base/json/fields.ts";
import type { Switch } from "../../../books/billing/pricing/rates.ts";
import type { UsageDetails } from "../../../books/billing/usage.ts";
import { counter, isCount } from "../counters.ts";
import {
  detailsOf,
  freeTool,
  modalitiesOf,
  objectAt,
  objectsAt,
  someObject,
  tokenKindSwitches,
  toolSwitch,
  waySwitch,
} from "../switches.ts";
import { givenTools } from "./given-tools.ts";

/** Tools that the client runs, and a search among its own tools. */
const clientTools = new Set([
  "function",
  "custom",
  "namespace",
  "computer",
  "computer_use",
  "computer_use_preview",
  "local_shell",
  "apply_patch",
  "tool_search",
]);

/** A server of tools that the provider calls costs nothing but tokens. */
const mcp = "mcp";

/** Throws `invalid_request` where a switch is no text. */
export function readSwitches(fields: Fields): Switch[] {
  const { input, max_tool_calls } = fields;
  const keepsLong =
    objectAt(fields, "prompt_cache_options").ttl === "12h" ||
    someObject(input, (part) => objectAt(part, "prompt_cache_breakpoint").ttl === "12h");
  const modalities = modalitiesOf(fields.modalities);
  const hearsAudio = someObject(input, ({ type }) => type === "input_audio");
  return [
    ...waySwitch(fields, "service_tier"),
    ...tokenKindSwitches(
      [keepsLong, "prompt_cache_options.ttl", "cache_write_12h"],
      [modalities.includes("audio"), "modalities", "audio_output"],
      [hearsAudio, "input.content.input_audio", "audio_input", { crosses: true }],
    ),
    ...givenTools(fields).flatMap(({ at, item }) => {
      const name = toolName(item);
      if (name === undefined) return [];
      if (name === mcp) return [freeTool(`${at}.type`, name)];
      if (!containers.has(name)) return [toolSwitch(`${at}.type`, name, max_tool_calls, ["max_tool_calls"])];
      const memory = memoryOf(item);
      if (memory === undefined) return [toolSwitch(`${at}.type`, name, 1)];
      const field = `${at}.${name === "shell" ? "environment" : "container"}.memory_limit`;
      return [{ ...toolSwitch(field, `${name}_${memory}`, 1), counted_as: name }];
    }),
  ];
}

/** Tools that are paid for by the container they run in, however often they are called in it. */
const containers = new Set(["code_interpreter", "shell"]);

/** The memory of a tool's container, where it is more than the default. */
function memoryOf(tool: Fields): string | undefined {
  const given = objectAt(tool, "container").memory_limit ?? objectAt(tool, "environment").memory_limit;
  return typeof given === "string" && given !== "1g" ? given : undefined;
}

/** A tool without its version: `web_search_preview_2025_03_11` makes the same calls as `web_search`. */
function toolName(tool: Fields): string | undefined {
  const { type } = tool;
  if (typeof type !== "string" || clientTools.has(type)) return undefined;
  if (type === "shell" && objectAt(tool, "environment").type === "local") return undefined;
  return type.replace(/(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/, "");
}

/** What a response says besides its counts. */
export function readDetails(response: Fields): UsageDetails {
  const usage = objectAt(response, "usage");
  const input = objectAt(usage, "input_tokens_details");
  return detailsOf({
    ways: { service_tier: response.service_tier },
    tokens: {
      cache_write_12h: objectAt(input, "cache_write_tokens_details").ttl_12h_tokens,
      audio_input: input.audio_tokens,
      audio_output: objectAt(usage, "output_tokens_details").audio_tokens,
    },
    calls: {
      ...callsOf(objectsAt(response, "output").map(({ item }) => item)),
      ...reportedCalls(usage.tool_usage),
      ...reportedCalls(response.tool_usage),
      ...reportedCalls(usage.tool_calls_details),
    },
  });
}

/** How often the provider's own tools were called, by the items of an answer. */
export function callsOf(items: Fields[]): Record<string, number> {
  const calls: Record<string, number> = {};
  const used = new Set<unknown>();
  for (const item of items) {
    const name = /^(.+)_call$/.exec(asText(item.type))?.[1];
    if (name === undefined || clientTools.has(name) || name === "custom_tool" || name === mcp) continue;
    if (name === "web_search" && !searches(item)) continue;
    if (containers.has(name)) {
      const container = item.container_id ?? objectAt(item, "environment").container_id;
      const isLocal = objectAt(item, "environment").type === "local";
      if (isLocal || used.has(container)) continue;
      used.add(container);
    }
    calls[name] = (calls[name] ?? 0) + 1;
  }
  return calls;
}

/** What is kept of an item to count it. A picture in it can have megabytes. */
export function toolCall({ type, action, environment, container_id }: Fields): Fields {
  return { type, action, environment, container_id };
}

/** Opening a page that was found, and looking within it, are not charged. */
function searches(item: Fields): boolean {
  const action = objectAt(item, "action").type;
  return action === undefined || action === "search";
}

/** What Perplexity reports tools as, where a request names them otherwise. */
const reportedNames: Readonly<Record<string, string>> = { search_web: "web_search" };

/** The provider's own count of billable calls, by tool: a number, or OpenAI's or Perplexity's object with one. */
function reportedCalls(value: unknown): Record<string, number> {
  const tools = Object.entries(objectAt({ value }, "value"));
  return Object.fromEntries(
    tools
      .map(([name, told]) => {
        const { num_requests, invocation = num_requests } = objectAt({ told }, "told");
        return [entryOf(reportedNames, name) ?? name, isCount(told) ? told : invocation] as const;
      })
      .filter(([, count]) => isCount(count))
      .map(([name, count]) => [name, counter(count)]),
  );
}
