/**
 * The streaming function behind the URL: event → request → pipeline → response stream. Middy stays at
 * this rim: it writes the prelude and the body with back-pressure, and awaits `requestEnd` after the end.
 */
import { isUtf8 } from "node:buffer";
import { Readable, type Writable } from "node:stream";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { createPipeline } from "#shared/gateway/pipeline.ts";
import type { HttpReply, HttpRequest } from "#shared/http/message.ts";
import { newId } from "#shared/platform/id.ts";
import { gatewayDeps } from "./deps.ts";
import { localAnswers } from "./local-answers.ts";

const deps = gatewayDeps();
const serve = createPipeline(deps, localAnswers(deps));

interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  body: Readable | string;
  after?: (() => Promise<void>) | undefined;
}

/** What an invocation's answer is written to. */
const outlets = new WeakMap<Context, Writable>();

async function answer(event: APIGatewayProxyEventV2, context: Context): Promise<Answer> {
  const reply = await serve(toRequest(event, context));
  // Everything is settled by then. Without an error: the pipe to it ends, and this process with it only on Lambda,
  // which serves nobody else. To wait for such a reader would keep a sandbox until its time is over.
  void reply.gone?.then(() => outlets.get(context)?.destroy());
  return {
    statusCode: reply.status,
    headers: reply.headers,
    body: bodyOf(reply.body),
    after: reply.after,
  };
}

/** So much text middy writes in one piece; what is longer it cuts without regard to characters. */
const textLengthMax = 16 * 1024;

/** A short text as it is, which leaves with one write; everything else as a stream. */
function bodyOf(body: HttpReply["body"]): Readable | string {
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  if (!isWhole) return Readable.from(body, { objectMode: false });
  if (body.length <= textLengthMax) {
    if (typeof body === "string") return body;
    if (isUtf8(body)) return Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  }
  return Readable.from([Buffer.from(body as string)], { objectMode: false });
}

/** Payload format 2.0 (aws.md §1.5): the path arrives percent-encoded, binary bodies as base64. */
function toRequest(event: APIGatewayProxyEventV2, context: Context): HttpRequest {
  const now = deps.now();
  return {
    id: newId("request", now),
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: new URLSearchParams(event.rawQueryString),
    headers: event.headers,
    body: Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8"),
    received_at: now,
    deadline_at: now + context.getRemainingTimeInMillis(),
  };
}

const respond = middy<APIGatewayProxyEventV2, Answer>({
  executionMode: executionModeStreamifyResponse,
  timeoutEarlyInMillis: 0,
  // After the last byte: the hold is settled before the sandbox may freeze (aws.md §1.2).
  requestEnd: async (request) => (request.response as Answer | undefined)?.after?.(),
}).handler(answer) as unknown as (event: unknown, outlet: Writable, context: Context) => Promise<void>;

export const handler = awslambda.streamifyResponse(async (event, outlet, context) => {
  outlets.set(context, outlet);
  await respond(event, outlet, context);
});
