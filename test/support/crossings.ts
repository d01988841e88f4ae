/** Every crossing, loaded at once. */
import { anthropicCrossing } from "#shared/calls/protocols/anthropic/crossing/index.ts";
import { converseCrossing } from "#shared/calls/protocols/bedrock-converse/converse.ts";
import { bedrockConverse } from "#shared/calls/protocols/bedrock-converse/index.ts";
import type { Crossing, CrossingName } from "#shared/calls/protocols/crossing.ts";
import { geminiCrossing } from "#shared/calls/protocols/gemini/crossing/index.ts";
import { openaiChatCrossing } from "#shared/calls/protocols/openai-chat/crossing/index.ts";
import { openaiResponsesCrossing } from "#shared/calls/protocols/openai-responses/crossing/index.ts";

await bedrockConverse.load();

export const crossings: Record<CrossingName, Crossing> = {
  "openai-chat": openaiChatCrossing,
  anthropic: anthropicCrossing,
  gemini: geminiCrossing,
  "openai-responses": openaiResponsesCrossing,
  "bedrock-converse": converseCrossing,
};
