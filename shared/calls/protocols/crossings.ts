import { anthropicCrossing } from "./anthropic/crossing/index.ts";
import type { Crossing, CrossingName, ProviderCrossing } from "./crossing.ts";
import { geminiCrossing } from "./gemini/crossing/index.ts";
import { openaiChatCrossing } from "./openai-chat/crossing/index.ts";
import { openaiResponsesCrossing } from "./openai-responses/crossing/index.ts";
import { type AnswerSide, hasClients, type ProviderSide } from "./protocol.ts";

/** Every crossing, by its protocol's name. Loaded with the first call that needs it: most calls pass through. */
export const crossings: Record<CrossingName, Crossing> = {
  "openai-chat": openaiChatCrossing,
  anthropic: anthropicCrossing,
  gemini: geminiCrossing,
  "openai-responses": openaiResponsesCrossing,
};

/** The way to a provider of a protocol, and how its answers are read. */
interface ProviderWay {
  crossing: ProviderCrossing;
  answers: AnswerSide;
}

/** The way to a provider. That of Converse is loaded with the first call that goes there. */
export async function wayTo(upstream: ProviderSide): Promise<ProviderWay> {
  if (!hasClients(upstream)) {
    const { converseAnswers, converseCrossing } = await import("./bedrock-converse/converse.ts");
    return { crossing: converseCrossing, answers: converseAnswers };
  }
  if (!upstream.crossing) throw new TypeError(`${upstream.name} has no crossing`);
  return { crossing: crossings[upstream.crossing], answers: upstream };
}
