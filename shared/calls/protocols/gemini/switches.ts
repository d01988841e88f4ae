/** What a Gemini request switches on, and what a reply says of it (protocols.md §3.2). */

import { asText, entryOf, type Fields, isAbsent, isObject } from "../../../base/json/fields.ts";
import type { IncomingReply } from "../../../base/platform/http-client.ts";
import type { Switch } from "../../../books/billing/pricing/rates.ts";
import type { UsageDetails } from "../../../books/billing/usage.ts";
import { counter } from "../counters.ts";
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
import { camelKeys } from "./names.ts";

/** Tools that the client runs. */
const clientTools = new Set(["functionDeclarations", "computerUse"]);

/** Google's tools that cost nothing but tokens, by the names that policies have for them. */
const freeTools: Readonly<Record<string, string>> = {
  codeExecution: "code_execution",
  urlContext: "url_context",
  fileSearch: "file_search",
  mcpServers: "mcp",
};

/** Throws `invalid_request` where a switch is no text. `fields` and `config` have their names in camel case. */
export function readSwitches(fields: Fields, config: Fields): Switch[] {
  const modalities = modalitiesOf(config.responseModalities);
  const hears = (type: RegExp) => someObject(fields.contents, (part) => type.test(mediaType(part)));
  // A video has sound, and an address need not name its type.
  const mayHear = hears(/^(?:audio|video)\/|^$/i);
  const media = "contents.parts.inlineData";
  return [
    ...tierSwitch(fields),
    ...tokenKindSwitches(
      [hears(/^audio\//i), media, "audio_input", { crosses: true }],
      [mayHear, media, "audio_input", { implied: true }],
      [mayHear, media, "audio_cache_read", { implied: true }],
      [modalities.includes("audio"), "generationConfig.responseModalities", "audio_output"],
      // A model that can make pictures may make them unasked.
      [modalities.length === 0, "generationConfig", "image_output", { implied: true }],
      [modalities.includes("image"), "generationConfig.responseModalities", "image_output"],
    ),
    ...objectsAt(fields, "tools").flatMap(({ at, item }) =>
      Object.entries(camelKeys(item))
        .filter(([name, value]) => !isAbsent(value) && !clientTools.has(name))
        .map(([name]) => {
          const free = entryOf(freeTools, name);
          return free === undefined
            ? toolSwitch(`${at}.${name}`, toolName(name))
            : freeTool(`${at}.${name}`, free);
        }),
    ),
  ];
}

/** Google also takes the names of its enumeration, such as `SERVICE_TIER_FLEX`. */
export function tierSwitch(fields: Fields): Switch[] {
  const given = fields.serviceTier;
  const value = typeof given === "string" ? given.toLowerCase().replace(/^service_tier_/, "") : given;
  const service_tier = value === "unspecified" ? undefined : value;
  return waySwitch({ serviceTier: service_tier }, "service_tier", "serviceTier");
}

/** The declared type of a medium. "" where it declares none, and "text" for a part that is no medium. */
function mediaType(part: Fields): string {
  const { inlineData, fileData } = camelKeys(part);
  const medium = isObject(inlineData) ? inlineData : fileData;
  if (!isObject(medium)) return "text";
  const type = camelKeys(medium).mimeType;
  return typeof type === "string" ? type : "";
}

/** `googleSearch`, and its older form, as a rate names them: `google_search`. */
function toolName(name: string): string {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return snake === "google_search_retrieval" ? "google_search" : snake;
}

/** Tiers as Google names them by its kinds of traffic. */
const traffic: Record<string, string> = {
  ON_DEMAND: "standard",
  ON_DEMAND_PRIORITY: "priority",
  ON_DEMAND_FLEX: "flex",
};

/** What a whole reply or a chunk says besides its counts. */
export function readDetails(chunk: Fields): UsageDetails {
  const usage = objectAt(chunk, "usageMetadata");
  const tier = usage.serviceTier ?? traffic[asText(usage.trafficType)];
  const cached = modality(usage, "cacheTokensDetails", "AUDIO");
  const heard =
    modality(usage, "promptTokensDetails", "AUDIO") + modality(usage, "toolUsePromptTokensDetails", "AUDIO");
  return detailsOf({
    ways: {
      service_tier: typeof tier === "string" ? tier.toLowerCase().replace(/^service_tier_/, "") : tier,
    },
    tokens: {
      audio_input: Math.max(0, heard - cached),
      audio_cache_read: cached,
      audio_output: modality(usage, "candidatesTokensDetails", "AUDIO"),
      image_output: modality(usage, "candidatesTokensDetails", "IMAGE"),
    },
    calls: readGrounding(chunk),
  });
}

/** The tier that a reply's header names. */
export function readHeaders(headers: IncomingReply["headers"]): UsageDetails {
  return detailsOf({ ways: { service_tier: headers["x-gemini-service-tier"] } });
}

/** The tokens of one modality in a list of counts by modality. */
function modality(usage: Fields, list: string, name: string): number {
  return objectsAt(usage, list)
    .filter(({ item }) => item.modality === name)
    .reduce((sum, { item }) => sum + counter(item.tokenCount), 0);
}

/** How often it searched: once for each different query, an empty one being none. A map that was used counts once. */
function readGrounding(chunk: Fields): Record<string, number> {
  const grounding = objectsAt(chunk, "candidates").map(({ item }) => objectAt(item, "groundingMetadata"));
  const queries = grounding.flatMap((told) =>
    ["webSearchQueries", "imageSearchQueries"].flatMap((name) =>
      Array.isArray(told[name]) ? told[name] : [],
    ),
  );
  const mapped = grounding.some((told) =>
    objectsAt(told, "groundingChunks").some(({ item }) => isObject(item.maps)),
  );
  return {
    google_search: new Set(queries.filter((query) => query !== "")).size,
    ...(mapped && { google_maps: 1 }),
  };
}
