/** What an Anthropic request switches on, and what a reply says of it (protocols.md §2.2). */

import { entryOf, type Fields, isObject } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import type { Switch } from "../../../books/billing/pricing/rates.ts";
import type { UsageDetails } from "../../../books/billing/usage.ts";
import {
  detailsOf,
  freeTool,
  isGiven,
  objectAt,
  objectsAt,
  someObject,
  tokenKindSwitch,
  toolSwitch,
  waySwitch,
} from "../switches.ts";

/** Names, without version, of tools that the client runs, and of searches among its own tools. */
const clientTools = new Set([
  "custom",
  "bash",
  "text_editor",
  "computer",
  "computer_toolset",
  "browser_toolset",
  "memory",
  "tool_search_tool_regex",
  "tool_search_tool_bm25",
]);

/** Anthropic's tools that cost nothing but tokens, by the names that policies have for them. */
const freeTools: Readonly<Record<string, string>> = { web_fetch: "web_fetch", mcp_toolset: "mcp" };

/** From this version on, a web search or fetch includes code execution free of charge. */
const bringsCode = 20260209;

/** Throws `invalid_request` where a switch is no text. */
export function readSwitches(fields: Fields): Switch[] {
  const { messages, system, tools, cache_control } = fields;
  const anHour = someObject([messages, system, tools, { cache_control }], (part) => {
    return objectAt(part, "cache_control").ttl === "1h";
  });
  return [
    ...waySwitch(fields, "service_tier"),
    ...waySwitch(fields, "speed"),
    ...waySwitch(fields, "inference_geo"),
    ...(anHour ? [tokenKindSwitch("cache_control.ttl", "cache_write_1h")] : []),
    // Another model would answer, at its own prices.
    ...(isGiven(fields, "fallbacks") ? [toolSwitch("fallbacks", "fallbacks")] : []),
    ...(objectsAt(fields, "mcp_servers").length > 0 ? [freeTool("mcp_servers", "mcp")] : []),
    ...readTools(fields),
  ];
}

function readTools(fields: Fields): Switch[] {
  const tools = objectsAt(fields, "tools").map((tool) => ({ ...tool, ...versioned(tool.item.type) }));
  const codeIsFree = tools.some(
    ({ name, version }) => /^web_(?:search|fetch)$/.test(name) && version >= bringsCode,
  );
  return tools.flatMap(({ at, index, item, name }) => {
    if (name === "" || clientTools.has(name)) return [];
    const free = name === "code_execution" && codeIsFree ? name : entryOf(freeTools, name);
    if (free !== undefined) return [freeTool(`${at}.type`, free)];
    if (name === "code_execution") return [toolSwitch(`${at}.type`, name, 1)];
    const bound_by = name === "web_search" ? ["tools", index, "max_uses"] : undefined;
    return [toolSwitch(`${at}.type`, name, item.max_uses, bound_by)];
  });
}

/** Splits a tool's type: `web_search_20250305` is the version 20250305 of `web_search`. */
function versioned(type: unknown): { name: string; version: number } {
  const [, name = "", version = ""] = /^(.*?)(?:_(\d{8}))?$/.exec(typeof type === "string" ? type : "") ?? [];
  return { name, version: Number(version) };
}

/** What a usage says besides its counts, in a whole message, in its start or in a delta. */
export function readDetails(usage: unknown): UsageDetails {
  if (!isObject(usage)) return {};
  const { service_tier, speed, inference_geo } = usage;
  const requests = Object.entries(objectAt(usage, "server_tool_use"));
  return detailsOf({
    ways: { service_tier, speed, inference_geo },
    tokens: { cache_write_1h: objectAt(usage, "cache_creation").ephemeral_1h_input_tokens },
    calls: Object.fromEntries(
      requests
        .map(([name, count]) => [name.replace(/_requests$/, ""), count] as const)
        .filter(([name]) => entryOf(freeTools, name) === undefined && !clientTools.has(name)),
    ),
  });
}

/** Code runs in a container that is paid for by time. A call that asked for one and got it has used it once. */
export function readContainer(owner: unknown, call: ChatCall | undefined): UsageDetails {
  const isAsked = call?.switches?.some(
    (each) => each.kind === "tool" && each.name === "code_execution" && !each.free,
  );
  return isAsked && isObject(owner) && isObject(owner.container) ? { calls: { code_execution: 1 } } : {};
}
