import { countReader } from "../count.ts";
import type { CountProtocol } from "../protocol.ts";
import { readRequest } from "./fields.ts";
import { messages } from "./index.ts";

/** Anthropic's count of a messages request, which is one without a maximum (protocols.md §2.5). */
export const anthropicCount: CountProtocol = {
  ...messages,
  name: "anthropic-count",
  upstreamPath: () => "/v1/messages/count_tokens",
  readRequest: ({ bytes, members, outline }) => ({
    ...readRequest({ bytes, members, outline: { ...outline, max_tokens: 1 } }),
    stream: false,
  }),
  readReply: countReader("input_tokens"),
  countReply: (tokens) => ({ input_tokens: tokens }),
};
