import { anthropicCrossing } from "./anthropic/crossing/index.ts";
import type { Crossing, CrossingName } from "./crossing.ts";
import { geminiCrossing } from "./gemini/crossing/index.ts";
import { openaiChatCrossing } from "./openai-chat/crossing/index.ts";
import { openaiResponsesCrossing } from "./openai-responses/crossing/index.ts";

/** Every crossing, by its protocol's name. Loaded with the first call that needs it: most calls pass through. */
export const crossings: Record<CrossingName, Crossing> = {
  "openai-chat": openaiChatCrossing,
  anthropic: anthropicCrossing,
  gemini: geminiCrossing,
  "openai-responses": openaiResponsesCrossing,
};
