import type { ProtocolName } from "../http/routes.ts";
import { anthropic } from "./anthropic/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import type { Protocol } from "./protocol.ts";

/** Every protocol the gateway speaks, by the name the route table uses. */
export const protocols: Record<ProtocolName, Protocol> = { "openai-chat": openaiChat, anthropic };
