/**
 * A function URL whose answers are whole (`InvokeMode` BUFFERED), as AWS does it (aws.md §1). This thread holds the
 * port, so that a function that is seldom asked needs no thread until it is.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { answerFailure, type EventRoom, readEvent, writePrelude } from "./function-url.ts";
import type { LocalFunction } from "./lambda.ts";
import { type Listening, listen } from "./listen.ts";

/** Lambda's limit of a synchronous invocation's result. */
const resultBytesMax = 6 * 1024 * 1024;

/** What strangers may take of the process, whose other ports serve calls: bytes of bodies, and time for one request. */
const roomBytes = 64 * 1024 * 1024;
const times = { headersTimeout: 20_000, requestTimeout: 30_000, keepAliveTimeout: 75_000 };
const connectionsMax = 1_000;

/** Opens the port; 0 picks one. Rejects when it is taken. `report` is told of invocations that failed. */
export async function openBufferedUrl(
  local: Pick<LocalFunction, "invoke">,
  port: number,
  report: (error: unknown) => void,
  room: EventRoom = { bytes: roomBytes },
): Promise<Listening> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const event = await readEvent(request, response, room);
    if (!event) return;
    try {
      send(response, await local.invoke(event));
    } catch (error) {
      report(error);
      answerFailure(response);
    }
  };
  const server = createServer(times, (request, response) => {
    response.on("error", () => {});
    void answer(request, response);
  });
  server.maxConnections = connectionsMax;
  return await listen(server, port);
}

/** A result that is no answer of the payload format is sent as JSON, as AWS infers it. */
function send(response: ServerResponse, result: unknown): void {
  if (response.destroyed) return;
  const { statusCode, headers, body = "", isBase64Encoded, cookies } = answerOf(result);
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (Buffer.byteLength(body) > resultBytesMax) throw new Error("the result is over Lambda's 6 MB");
  writePrelude(response, {
    statusCode: statusCode ?? 200,
    headers: { ...headers, "content-length": bytes.length },
    ...(cookies && { cookies }),
  });
  response.end(bytes);
}

function answerOf(result: unknown): APIGatewayProxyStructuredResultV2 {
  const isAnswer = typeof result === "object" && result !== null && "statusCode" in result;
  if (isAnswer) return result as APIGatewayProxyStructuredResultV2;
  const body = typeof result === "string" ? result : JSON.stringify(result ?? null);
  return { statusCode: 200, headers: { "content-type": "application/json" }, body };
}
