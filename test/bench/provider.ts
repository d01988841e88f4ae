/** The provider of the bench: answers at once, or in a hundred chunks, and says no more than it must. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";
import { chunksPerStream, vendorAnswers, vendorStreams } from "./vendor-answers.ts";

export const paceMs = 10;

/** The model of every call, as a client names it. */
export const benchModel = "openai/gpt-5.4-mini";
export const filler = (bytes: number) => "lorem ipsum ".repeat(Math.ceil(bytes / 12)).slice(0, bytes);

/** Bytes of the text in a large request. */
const largeBytes = 1024 * 1024;

/**
 * Requests of about 1 KB, and a large one. `pace` is a field of the bench's own, which passes through to the provider.
 */
export const requests = {
  whole: JSON.stringify({
    model: benchModel,
    max_tokens: 200,
    messages: [{ role: "user", content: filler(900) }],
  }),
  stream: JSON.stringify({
    model: benchModel,
    max_tokens: 200,
    stream: true,
    messages: [{ role: "user", content: filler(900) }],
  }),
  paced: JSON.stringify({
    model: benchModel,
    max_tokens: 200,
    stream: true,
    messages: [{ role: "user", content: filler(900) }],
    pace: true,
  }),
  large: JSON.stringify({
    model: benchModel,
    max_tokens: 200,
    messages: [{ role: "user", content: filler(largeBytes) }],
  }),
};

const usage = { prompt_tokens: 240, completion_tokens: 120, total_tokens: 360 };
const head = { id: "chatcmpl-1", created: 1_760_000_000, model: "gpt-5.4-mini" };

const whole = JSON.stringify({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: filler(750) }, finish_reason: "stop" }],
  usage,
});

const frame = (fields: object) =>
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`;
const delta = frame({
  choices: [{ index: 0, delta: { content: filler(100) }, finish_reason: null }],
  usage: null,
});
const stop = frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: null });
const end = `${stop}${frame({ choices: [], usage })}data: [DONE]\n\n`;
const streamed = [...Array.from({ length: chunksPerStream - 1 }, () => delta), end];

/** What the provider sends as the body of its answer to a request, in the pieces in which it leaves. */
export function answerTo(request: keyof typeof requests): Buffer[] {
  if (!requests[request].includes('"stream":true')) return [Buffer.from(whole)];
  return streamed.map((text) => Buffer.from(text));
}

/** A side's connections stay open while other sides have their turns. */
const keepAliveTimeout = 600_000;

/** Opens it on a free port. */
export function startProvider(): Promise<Listening> {
  return listen(
    createServer({ keepAliveTimeout }, (request, response) => void answer(request, response)),
    0,
  );
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const isStream = body.includes('"stream":true');
  const pieces = piecesFor(request.url ?? "", isStream);
  if (!isStream) {
    const [text = ""] = pieces;
    response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
    response.end(text);
    return;
  }
  const paced = body.includes('"pace":true');
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of pieces.slice(0, -1)) {
    response.write(piece);
    // A turn of the loop each, so that chunks leave one by one as a provider's do.
    if (paced) await sleep(paceMs);
    else await new Promise(setImmediate);
  }
  response.end(pieces.at(-1));
}

/** What is answered at a path, in the pieces in which it leaves. */
function piecesFor(path: string, isStream: boolean): readonly string[] {
  if (path.endsWith("/responses"))
    return isStream ? vendorStreams["openai-responses"] : [vendorAnswers["openai-responses"]];
  return isStream ? streamed : [whole];
}
