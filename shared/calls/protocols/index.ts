import type { CountName, ProtocolName } from "../../base/http/routes.ts";
import { anthropicCount } from "./anthropic/count.ts";
import { anthropic } from "./anthropic/index.ts";
import { arkMultimodal } from "./ark-multimodal/index.ts";
import { bedrockConverse } from "./bedrock-converse/index.ts";
import { bedrockInvoke } from "./bedrock-invoke/index.ts";
import { geminiCount } from "./gemini/count.ts";
import { gemini } from "./gemini/index.ts";
import { geminiEmbedding, geminiEmbeddings } from "./gemini-embeddings/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiEmbeddings } from "./openai-embeddings/index.ts";
import {
  arkImageEdits,
  arkImages,
  openaiImageEdits,
  openaiImages,
  zhipuImages,
} from "./openai-images/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";
import type { CountProtocol, Protocol } from "./protocol.ts";

/** The protocols whose calls only count tokens. */
export const counts: Record<CountName, CountProtocol> = {
  "anthropic-count": anthropicCount,
  "gemini-count": geminiCount,
};

/** Every protocol the gateway speaks, by the name the route table uses. */
export const protocols: Record<ProtocolName, Protocol> = {
  "openai-chat": openaiChat,
  anthropic,
  gemini,
  "openai-responses": openaiResponses,
  "openai-embeddings": openaiEmbeddings,
  "ark-multimodal": arkMultimodal,
  "openai-images": openaiImages,
  "ark-images": arkImages,
  "zhipu-images": zhipuImages,
  "openai-image-edits": openaiImageEdits,
  "ark-image-edits": arkImageEdits,
  "gemini-embedding": geminiEmbedding,
  "gemini-embeddings": geminiEmbeddings,
  "bedrock-converse": bedrockConverse,
  "bedrock-invoke": bedrockInvoke,
  ...counts,
};

/**
 * The protocols that a request can be translated into, in the order in which they are tried. What Bedrock's clients say to
 * Anthropic's providers is Anthropic's own protocol.
 */
export const crossable: readonly Protocol[] = Object.values(protocols).filter(
  (protocol) => protocol.crossing && protocol !== bedrockInvoke,
);
