/** The SDKs of the matrix, each with nothing changed but the base URL and the key. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import AnthropicBefore1 from "anthropic-sdk-0";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { createZhipu } from "zhipu-ai-provider";
import { aiSdk } from "./ai-sdk.ts";
import { anthropic } from "./anthropic.ts";
import { bedrockConverse } from "./bedrock-converse.ts";
import { bedrockInvoke } from "./bedrock-invoke.ts";
import type { Place, SdkClient } from "./client.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

const at = ({ url, key }: Place, path: string) => ({ apiKey: key, baseURL: url + path });
const thinking = { type: "enabled", budgetTokens: 2000 };

/** What makes each client, by the name that the table has for it. */
export const clients: Record<string, (place: Place) => SdkClient> = {
  "openai 7, chat": (place) => openaiChat(OpenAI, place),
  "openai 6, chat": (place) => openaiChat(OpenAI6 as unknown as typeof OpenAI, place),
  "openai 7, responses": (place) => openaiResponses(OpenAI, place),
  "@anthropic-ai/sdk 1": (place) => anthropic(Anthropic, place),
  "@anthropic-ai/sdk 0": (place) => anthropic(AnthropicBefore1 as unknown as typeof Anthropic, place),
  "@aws-sdk/client-bedrock-runtime, converse": bedrockConverse,
  "@aws-sdk/client-bedrock-runtime, invoke": bedrockInvoke,
  "@google/genai 3": (place) => gemini(GoogleGenAI, place),
  "@google/genai 2": (place) => gemini(GoogleGenAI2 as unknown as typeof GoogleGenAI, place),
  "@ai-sdk/openai, chat": (place) =>
    aiSdk((model) => createOpenAI(at(place, "/v1")).chat(model), {
      openai: { reasoningEffort: "high", forceReasoning: true },
    }),
  // Without `store: false` it refers to its earlier answers by their ids, which a model that stores
  // nothing cannot know.
  "@ai-sdk/openai, responses, store: false": (place) =>
    aiSdk(
      (model) => createOpenAI(at(place, "/v1")).responses(model),
      { openai: { reasoningEffort: "high", forceReasoning: true } },
      { openai: { store: false } },
    ),
  "@ai-sdk/anthropic": (place) =>
    aiSdk((model) => createAnthropic(at(place, "/v1"))(model), { anthropic: { thinking } }),
  "@ai-sdk/google": (place) =>
    aiSdk((model) => createGoogleGenerativeAI(at(place, "/api/v1beta"))(`models/${model}`), {
      google: { thinkingConfig: { thinkingBudget: 2000 } },
    }),
  "zhipu-ai-provider": (place) =>
    aiSdk((model) => createZhipu(at(place, "/api/paas/v4"))(model, { thinking: { type: "enabled" } }), {}),
};
