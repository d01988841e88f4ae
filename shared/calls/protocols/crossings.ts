import { anthropicCrossing } from "./anthropic/crossing/index.ts";
import type { Crossing, CrossingName } from "./crossing.ts";
import { geminiCrossing } from "./gemini/crossing/index.ts";
import { openaiChatCrossing } from "./openai-chat/crossing/index.ts";
import { openaiResponsesCrossing } from "./openai-responses/crossing/index.ts";

/** The crossings by their protocols' names, loaded with the first call that crosses. Converse's comes to them later. */
const crossings: Partial<Record<CrossingName, Crossing>> = {
  "openai-chat": openaiChatCrossing,
  anthropic: anthropicCrossing,
  gemini: geminiCrossing,
  "openai-responses": openaiResponsesCrossing,
};

/** The crossing of a protocol. That of Converse is loaded with the first call that comes from there or goes there. */
export function crossingOf(name: CrossingName): Crossing | Promise<Crossing> {
  const known = crossings[name];
  if (known) return known;
  return import("./bedrock-converse/converse.ts").then(({ converseCrossing }) => {
    crossings["bedrock-converse"] = converseCrossing;
    return converseCrossing;
  });
}
