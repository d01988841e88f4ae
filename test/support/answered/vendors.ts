/** How each vendor answers. */
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { anthropic } from "./anthropic.ts";
import { bedrockConverse } from "./bedrock-converse.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Vendor } from "./said.ts";

export const answeredVendors: Record<CrossingName, Vendor> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  "bedrock-converse": bedrockConverse,
};
