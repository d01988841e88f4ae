/** The demo provider's Gemini. Streams are SSE frames, because the gateway always asks for `alt=sse`. */
import {
  composeReply,
  type DemoBody,
  type DemoReply,
  type Responder,
  sendEvents,
  sendJson,
} from "./reply.ts";

/** `POST /v1beta/models/…:generateContent`. */
export const generateContent: Responder = async (body, response) => {
  const reply = replyTo(body);
  sendJson(response, 200, chunkOf(reply, reply.words.join(""), finishOf(reply)));
};

/** `POST /v1beta/models/…:streamGenerateContent`. */
export const streamGenerateContent: Responder = async (body, response, pauseMs) => {
  const reply = replyTo(body);
  const frame = (text: string, finish?: string) =>
    `data: ${JSON.stringify(chunkOf(reply, text, finish))}\n\n`;
  await sendEvents(response, {
    first: [],
    words: reply.words.map((word) => frame(word)),
    last: [frame("", finishOf(reply))],
    pauseMs,
  });
};

/** `POST /v1beta/models/…:countTokens`: of contents, or of a whole generate request. */
export const countContents: Responder = async (body, response) => {
  const { generateContentRequest: whole } = body;
  const { input_tokens } = replyTo((whole as DemoBody | undefined) ?? body);
  sendJson(response, 200, { totalTokens: input_tokens });
};

function replyTo(body: DemoBody): DemoReply {
  const { contents, systemInstruction, tools, generationConfig } = body;
  const limit = (generationConfig as { maxOutputTokens?: unknown } | undefined)?.maxOutputTokens;
  return composeReply({ contents, systemInstruction, tools }, contents, limit);
}

const finishOf = ({ isCut }: DemoReply) => (isCut ? "MAX_TOKENS" : "STOP");

function chunkOf({ input_tokens, output_tokens }: DemoReply, text: string, finishReason?: string): object {
  return {
    candidates: [
      { index: 0, content: { role: "model", parts: [{ text }] }, ...(finishReason ? { finishReason } : {}) },
    ],
    usageMetadata: {
      promptTokenCount: input_tokens,
      candidatesTokenCount: output_tokens,
      totalTokenCount: input_tokens + output_tokens,
    },
    modelVersion: "demo",
    responseId: "demo",
  };
}
