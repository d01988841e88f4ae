/**
 * Plays the providers whose credentials are not in the environment. It knows the protocols from their
 * vendors' documentation and nothing of ours: an error of the gateway's codecs cannot hide in it.
 */
import { createServer, type IncomingMessage } from "node:http";
import { countTokens, messages } from "./demo/anthropic.ts";
import { generateContent, streamGenerateContent } from "./demo/gemini.ts";
import { embeddings, images } from "./demo/media.ts";
import { chatCompletions } from "./demo/openai.ts";
import { type Body, type Responder, sendJson } from "./demo/reply.ts";
import { responses } from "./demo/responses.ts";
import { type Listening, listen } from "./listen.ts";

/** By the end of the path, behind `/<provider>/<protocol>` and, for Gemini, the model. */
const responders: Record<string, Responder> = {
  "/chat/completions": chatCompletions,
  "/responses": responses,
  "/embeddings": embeddings,
  "/images/generations": images,
  "/images/edits": images,
  "/v1/messages": messages,
  "/v1/messages/count_tokens": countTokens,
  ":generateContent": generateContent,
  ":streamGenerateContent": streamGenerateContent,
};

/** Serves `/<provider>/<protocol>/…` on a free port. */
export async function startDemoProvider(): Promise<Listening> {
  const server = createServer(async (request, response) => {
    // A client that goes away takes its own answer with it and nothing else.
    response.on("error", () => {});
    const whole = /^\/[^/]+\/[^/]+(\/[^?]*)/.exec(request.url ?? "")?.[1] ?? "";
    const path = whole.replace(/^\/v1beta\/models\/.*(?=:\w+$)/, "");
    const responder = request.method === "POST" ? responders[path] : undefined;
    const body = await readJson(request);
    if (!responder) sendJson(response, 404, { error: { message: `the demo provider has no ${path}` } });
    else if (!body) sendJson(response, 400, { error: { message: "the body is no JSON object" } });
    else await responder(body, response);
  });
  return await listen(server, 0);
}

/** The JSON of a request; of a form, which only edits send, the fields that count are not needed. */
async function readJson(request: IncomingMessage): Promise<Body | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.headers["content-type"]?.startsWith("multipart/form-data")) return {};
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return typeof body === "object" && body !== null ? (body as Body) : undefined;
  } catch {
    return undefined;
  }
}
