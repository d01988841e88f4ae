/** An event of a function URL and its answer. Middy writes with back-pressure, and awaits `requestEnd` after the last byte. */
import { isUtf8 } from "node:buffer";
import { Readable, type Writable } from "node:stream";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { BodyPump, HttpReply, HttpRequest } from "#shared/base/http/message.ts";
import { newId } from "#shared/base/platform/id.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import type { gatewayDeps } from "./deps.ts";
import { localAnswers } from "./local-answers.ts";

/** Answers an event, and resolves when its call is settled. */
export type Respond = (invocation: Invocation, outlet: Writable, context: Context) => Promise<void>;

interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  body: Readable | string;
  after?: (() => Promise<void>) | undefined;
}

/** An event, with the stream that its answer is written to. */
interface Invocation {
  event: APIGatewayProxyEventV2;
  outlet: Writable;
}

/** The gateway behind a function URL. The global `awslambda` must be there. */
export function createRespond(deps: ReturnType<typeof gatewayDeps>): Respond {
  const serve = createPipeline(localAnswers(deps), deps);
  const answer = async ({ event, outlet }: Invocation, context: Context): Promise<Answer> => {
    const reply = await serve(toRequest(event, context, deps.now()));
    // By then everything is settled. The stream is destroyed because waiting for such a reader would keep the sandbox
    // until its time is over. No error is given: it would end this process also where the process serves other calls.
    void reply.gone?.then(() => outlet.destroy());
    return {
      statusCode: reply.status,
      headers: reply.headers,
      body: event.requestContext.http.method === "HEAD" ? "" : bodyOf(reply.body),
      after: reply.after,
    };
  };
  return middy<Invocation, Answer>({
    executionMode: executionModeStreamifyResponse,
    timeoutEarlyInMillis: 0,
    // Runs after the last byte, because the hold must be settled before the sandbox may freeze (aws.md §1.2).
    requestEnd: async (request) => (request.response as Answer | undefined)?.after?.(),
  }).handler(answer) as unknown as Respond;
}

/** Middy writes a text of at most this length in one piece. It cuts a longer one in the middle of characters. */
const textLengthMax = 16 * 1024;

/** A short text stays as it is, and leaves with one write. Everything else becomes a stream. */
function bodyOf(body: HttpReply["body"]): Readable | string {
  if (typeof body === "function") return streamOf(body);
  if (body.length <= textLengthMax) {
    if (typeof body === "string") return body;
    if (isUtf8(body)) return Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  }
  return Readable.from([Buffer.from(body as string)], { objectMode: false });
}

/** The stream that a body is pumped into. The pump waits while the stream is full. */
function streamOf(pump: BodyPump): Readable {
  let begun = false;
  let proceed: (() => void) | undefined;
  const stream = new Readable({
    read() {
      proceed?.();
      if (begun) return;
      begun = true;
      void pump({ write }).then(() => stream.push(null));
    },
    destroy(error, done) {
      proceed?.();
      done(error);
    },
  });
  const write = (bytes: Uint8Array): Promise<void> | undefined => {
    if (stream.destroyed || stream.push(bytes)) return undefined;
    return new Promise((resolve) => {
      proceed = resolve;
    });
  };
  return stream;
}

/** Payload format 2.0 (aws.md §1.5): the path arrives percent-encoded, binary bodies as base64. */
function toRequest(event: APIGatewayProxyEventV2, context: Context, now: number): HttpRequest {
  return {
    id: newId("request", now),
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: new URLSearchParams(event.rawQueryString),
    headers: event.headers,
    ip: event.requestContext.http.sourceIp,
    body: Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8"),
    received_at: now,
    deadline_at: now + context.getRemainingTimeInMillis(),
  };
}
