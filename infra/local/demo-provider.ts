/**
 * Plays the providers whose credentials are not in the environment. It knows the protocols from their
 * vendors' documentation and nothing of ours: an error of the gateway's codecs cannot hide in it.
 */
import { createServer, type IncomingMessage } from "node:http";
import { countTokens, messages } from "./demo/anthropic.ts";
import { chatCompletions } from "./demo/openai.ts";
import { type Body, type Responder, sendJson } from "./demo/reply.ts";
import { type Listening, listen } from "./listen.ts";

/** By the end of the path, behind `/<provider>/<protocol>`. */
const responders: Record<string, Responder> = {
  "/chat/completions": chatCompletions,
  "/v1/messages": messages,
  "/v1/messages/count_tokens": countTokens,
};

/** Serves `/<provider>/<protocol>/…` on a free port. */
export async function startDemoProvider(): Promise<Listening> {
  const server = createServer(async (request, response) => {
    // A client that goes away takes its own answer with it and nothing else.
    response.on("error", () => {});
    const path = /^\/[^/]+\/[^/]+(\/[^?]*)/.exec(request.url ?? "")?.[1] ?? "";
    const responder = request.method === "POST" ? responders[path] : undefined;
    const body = await readJson(request);
    if (!responder) sendJson(response, 404, { error: { message: `the demo provider has no ${path}` } });
    else if (!body) sendJson(response, 400, { error: { message: "the body is no JSON object" } });
    else await responder(body, response);
  });
  return await listen(server, 0);
}

async function readJson(request: IncomingMessage): Promise<Body | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return typeof body === "object" && body !== null ? (body as Body) : undefined;
  } catch {
    return undefined;
  }
}
