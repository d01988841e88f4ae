/** The provider of the bench: answers at once, or in a hundred chunks, and says no more than it must. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";
import { chunksPerStream } from "./vendor-answers.ts";

export const paceMs = 10;

const model = "openai/gpt-5.4-mini";
const filler = (bytes: number) => "lorem ipsum ".repeat(Math.ceil(bytes / 12)).slice(0, bytes);

/** Bytes of the text in a large request. */
const largeBytes = 1024 * 1024;

/**
 * Requests of about 1 KB, and a large one. `pace` is a field of the bench's own, which passes through to the provider.
 */
export const requests = {
  whole: JSON.stringify({ model, max_tokens: 200, messages: [{ role: "user", content: filler(900) }] }),
  stream: JSON.stringify({
    model,
    max_tokens: 200,
    stream: true,
    messages: [{ role: "user", content: filler(900) }],
  }),
  paced: JSON.stringify({
    model,
    max_tokens: 200,
    stream: true,
    messages: [{ role: "user", content: filler(900) }],
    pace: true,
  }),
  large: JSON.stringify({
    model,
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
const end = `${frame({ choices: [], usage })}data: [DONE]\n\n`;

/** What the provider sends as the body of its answer to a request, in the pieces in which it leaves. */
export function answerTo(request: keyof typeof requests): Buffer[] {
  if (!requests[request].includes('"stream":true')) return [Buffer.from(whole)];
  const chunk = Buffer.from(delta);
  return [...Array.from({ length: chunksPerStream - 1 }, () => chunk), Buffer.from(end)];
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
  if (!body.includes('"stream":true')) {
    response.writeHead(200, { "content-type": "application/json", "content-length": whole.length });
    response.end(whole);
    return;
  }
  const paced = body.includes('"pace":true');
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let sent = 1; sent < chunksPerStream; sent++) {
    response.write(delta);
    // A turn of the loop each, so that chunks leave one by one as a provider's do.
    if (paced) await sleep(paceMs);
    else await new Promise(setImmediate);
  }
  response.end(end);
}
