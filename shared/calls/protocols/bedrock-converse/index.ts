import type { ProviderSide } from "../protocol.ts";

/**
 * Converse of Amazon Bedrock, one form for the models of all makers (protocols.md §8). No client speaks it here: every
 * call crosses, and the rest of this room is loaded with the first (`converse.ts`).
 */
export const bedrockConverse = {
  name: "bedrock-converse",
  capability: "chat",
  kind: "chat",
  bases: ["converse"],
  upstreamPath: (model, { stream }) =>
    `/model/${encodeURIComponent(model)}/converse${stream ? "-stream" : ""}`,
  crossing: "bedrock-converse",
} satisfies ProviderSide;
