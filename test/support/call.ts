/** Calls the pipeline in process, as a function URL would, and collects what comes out. */

import type { HttpReply } from "#shared/base/http/message.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { readBody } from "#test/support/body.ts";

export interface Answer {
  id: string;
  status: number;
  headers: Record<string, string>;
  /** The body as it left, chunk by chunk. */
  chunks: Buffer[];
  text: string;
  json(): Record<string, unknown>;
}

export interface CallOptions {
  method?: string;
  /** Instead of the path that is called. */
  path?: string | undefined;
  headers?: Record<string, string>;
  body?: string | Buffer | object;
  /** Told of each chunk as it leaves. */
  onChunk?: (chunk: Buffer) => void;
  /** Milliseconds this invocation may take. */
  timeLeft?: number;
  /** The id of the call; a new one where it does not say. */
  id?: string;
  /** The client's address; unknown where it does not say. */
  ip?: string | undefined;
  /** When it is received, Unix milliseconds; now where it does not say. */
  at?: number;
}

/** Sends one request through the pipeline, reads the body to its end and lets the work after it finish. */
export async function call(serve: Pipeline, path: string, options: CallOptions = {}): Promise<Answer> {
  const { reply, id } = await open(serve, path, options);
  const chunks: Buffer[] = [];
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    options.onChunk?.(chunk);
    return undefined;
  };
  await readBody(reply, take);
  await reply.after?.();
  const text = Buffer.concat(chunks).toString("utf8");
  return {
    id,
    status: reply.status,
    headers: reply.headers,
    chunks,
    text,
    json: () => JSON.parse(text) as Record<string, unknown>,
  };
}

/** Sends one request and gives the reply unread. */
export async function open(
  serve: Pipeline,
  path: string,
  {
    method = "POST",
    path: otherPath,
    headers = {},
    body = "",
    timeLeft = 60_000,
    at,
    ip,
    ...given
  }: CallOptions,
): Promise<{ reply: HttpReply; id: string }> {
  const now = at ?? Date.now();
  const id = given.id ?? newId("request", now);
  const [rawPath = "", query = ""] = (otherPath ?? path).split("?");
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const reply = await serve({
    id,
    method,
    path: rawPath,
    query: new URLSearchParams(query),
    headers,
    body: bytes,
    ...(ip !== undefined && { ip }),
    received_at: now,
    deadline_at: now + timeLeft,
  });
  return { reply, id };
}
