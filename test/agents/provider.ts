/**
 * A provider of all four protocols that plays a script with a coding agent. It refuses what the real vendors refuse
 * (`strictness.ts`). What it says follows from the request alone: the play that the prompt names, and how many results of
 * tools the conversation has.
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { refusalAt } from "#infra/local/demo/strictness.ts";
import { answerAt, isStreamed, type Json, type Used } from "#test/support/vendor-answers.ts";
import type { Failure } from "./failures.ts";
import { type Line, lineFor } from "./script.ts";

/** One request as it arrived, with what became of it. */
export interface Heard {
  path: string;
  body: Json;
  /** The folder that the prompt names, which tells one session from another; undefined where there is none. */
  folder: string | undefined;
  /** The rule that refused it, and what the vendor would have said. */
  refused: { rule: string; told: string } | undefined;
  used: Used | undefined;
  /** Whether the answer was sent to its end. */
  isWhole: boolean;
}

export interface Scripted {
  url: string;
  heard: Heard[];
  stop(): Promise<void>;
}

/** Starts it on a free port. */
export async function startScripted(): Promise<Scripted> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Json;
    const path = request.url ?? "";
    const line = lineFor(body);
    const refusal: Failure | undefined = refusalAt(path, body, request.headers) ?? line.failure?.(path);
    const told = refusal && { rule: refusal.rule, told: JSON.stringify(refusal.body) };
    const used = { input: 100 + heard.length, cached: 10, output: 7 + heard.length };
    const own: Heard = { path, body, folder: line.folder, refused: told, used: undefined, isWhole: false };
    heard.push(own);
    if (refusal) {
      response.writeHead(refusal.status, { "content-type": "application/json", ...refusal.headers });
      response.end(JSON.stringify(refusal.body));
      return;
    }
    if (/count_tokens|:countTokens/.test(path)) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ input_tokens: 1000, totalTokens: 1000 }));
      return;
    }
    own.used = used;
    const { texts, call } = line;
    const said = { texts, used, stream: isStreamed(path, body), number: heard.length, ...(call && { call }) };
    own.isWhole = await respond(response, answerAt(path, said), line);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Sends an answer, with the pauses of its line. Gives whether all of it could be sent. */
async function respond(response: ServerResponse, answer: Json | string[] | undefined, line: Line) {
  if (!Array.isArray(answer)) {
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
    return true;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  // The first frame that has text is the last one before a silence.
  const first = answer.findIndex((frame) => frame.includes(JSON.stringify(line.texts[0]).slice(1, -1)));
  for (const [at, frame] of answer.entries()) {
    if (response.destroyed) return false;
    response.write(frame);
    if (at === first && line.silenceMs) await sleep(line.silenceMs);
    else if (at > first && line.frameMs) await sleep(line.frameMs);
  }
  response.end();
  return !response.destroyed;
}
