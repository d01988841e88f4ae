/** Lambda's Runtime API, as aws-lambda-ric speaks it: the test is the service that invokes. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The answer to one invocation, from its prelude on. */
export interface Invocation {
  status: number;
  headers: Record<string, string>;
  /** The body as it arrives; read it to its end. Throws when the runtime dies before. */
  body: AsyncGenerator<Buffer, void>;
  /** The type of the error the runtime sent after the body, once that has been read; undefined after a clean end. */
  failure(): string | undefined;
  /** Resolves when the runtime asks for the next invocation: from here on a sandbox may be frozen. */
  done: Promise<void>;
}

interface Prelude {
  statusCode: number;
  headers: Record<string, string>;
}

interface Call {
  id: string;
  answer: PromiseWithResolvers<Invocation>;
  done: PromiseWithResolvers<void>;
}

/** One invocation at a time: the runtime asks for it with a GET that waits, and answers it with a POST. */
export class RuntimeApi {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  /** The runtime's waiting question for an invocation. */
  #poll = expected<ServerResponse>();
  #call: Call | undefined;
  #initError: string | undefined;

  /** Opens the port. Gives the value of AWS_LAMBDA_RUNTIME_API. */
  async listen(): Promise<string> {
    // A pooled socket that closes while the runtime picks it would look like a crash of the function.
    this.#server.keepAliveTimeout = 0;
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Resolves when the runtime has loaded the function. */
  async ready(): Promise<void> {
    await this.#poll.promise;
  }

  /** Tells everyone who waits that the runtime is gone. */
  fail(reason: string): void {
    const error = new Error(this.#initError ?? reason);
    this.#poll.reject(error);
    this.#poll = expected();
    this.#poll.reject(error);
    this.#call?.answer.reject(error);
    this.#call?.done.reject(error);
  }

  /** Hands out an event and resolves with the beginning of its answer. */
  async invoke(event: unknown, timeoutMs: number): Promise<Invocation> {
    const poll = await this.#poll.promise;
    const call: Call = { id: randomUUID(), answer: expected(), done: expected() };
    this.#poll = expected();
    this.#call = call;
    poll.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": call.id,
      "lambda-runtime-deadline-ms": String(Date.now() + timeoutMs),
      "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-east-1:000000000000:function:test",
    });
    poll.end(JSON.stringify(event));
    return await call.answer.promise;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.replace("/2018-06-01/runtime/", "");
    if (path === "invocation/next") {
      this.#call?.done.resolve();
      this.#poll.resolve(response);
    } else if (path === "init/error") {
      this.#initError = await text(request);
      response.writeHead(202).end();
    } else if (this.#call && path === `invocation/${this.#call.id}/response`) {
      await openAnswer(request, response, this.#call).catch(this.#call.answer.reject);
    } else if (this.#call && path === `invocation/${this.#call.id}/error`) {
      this.#call.answer.reject(new Error(await text(request)));
      response.writeHead(202).end();
    } else {
      response.writeHead(404).end();
    }
  }
}

/** A promise that may be rejected before anybody waits for it, or without anybody ever doing so. */
function expected<Value>(): PromiseWithResolvers<Value> {
  const resolvers = Promise.withResolvers<Value>();
  resolvers.promise.catch(() => {});
  return resolvers;
}

const preludeType = "application/vnd.awslambda.http-integration-response";
const delimiter = Buffer.alloc(8);

async function openAnswer(request: IncomingMessage, response: ServerResponse, call: Call): Promise<void> {
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncGenerator<Buffer, void>;
  const isHttp = request.headers["content-type"] === preludeType;
  const { prelude, rest } = isHttp ? await readPrelude(chunks) : withoutPrelude(Buffer.alloc(0));
  call.answer.resolve({
    status: prelude.statusCode,
    headers: prelude.headers,
    body: bodyOf(rest, chunks, response),
    failure: () => request.trailers["lambda-runtime-function-error-type"],
    done: call.done.promise,
  });
}

interface Opening {
  prelude: Prelude;
  /** What came with it of the body. */
  rest: Buffer;
}

/** Reads the metadata before the body: JSON, then eight zero bytes. */
async function readPrelude(chunks: AsyncGenerator<Buffer, void>): Promise<Opening> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const { done, value } = await chunks.next();
    if (done) return withoutPrelude(bytes);
    bytes = Buffer.concat([bytes, value]);
    const end = bytes.indexOf(delimiter);
    if (end < 0) continue;
    const prelude = JSON.parse(bytes.toString("utf8", 0, end)) as Prelude;
    return { prelude, rest: bytes.subarray(end + delimiter.length) };
  }
}

/** A function URL answers 200 then, whatever the function meant (aws.md §1.2). */
function withoutPrelude(rest: Buffer): Opening {
  return { prelude: { statusCode: 200, headers: {} }, rest };
}

async function* bodyOf(rest: Buffer, chunks: AsyncGenerator<Buffer, void>, response: ServerResponse) {
  if (rest.length > 0) yield rest;
  yield* chunks;
  response.writeHead(202).end();
}
