/** A service of AWS's, played by hand: what it was asked, and what it answers to each request in turn. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { listen } from "#infra/local/emulators/listen.ts";
import type { Aws, Delivery } from "#shared/base/platform/aws.ts";

/** What the service does with one request. */
type Play = (response: ServerResponse) => unknown;

interface Asked {
  headers: IncomingMessage["headers"];
  body: unknown;
}

const running: (() => Promise<unknown>)[] = [];

/** Stops what `serve` has started. */
export async function stopServices(): Promise<void> {
  for (const stop of running.splice(0)) await stop();
}

/** A service that plays these in turn, the last one again and again. */
export async function serve(...plays: Play[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: await json(request) });
    const play = plays[Math.min(asked.length, plays.length) - 1];
    play?.(response);
  });
  const { url, stop } = await listen(server, 0);
  running.push(stop);
  return { url, asked, stop };
}

/** Answers with a status and a body, which is JSON unless it is a text. */
export const answer =
  (status: number, body: object | string): Play =>
  (response) => {
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
/** Refuses with a code, as DynamoDB spells one. */
export const refused = (code: string, more: object = {}, status = 400) =>
  answer(status, { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message: `no: ${code}`, ...more });
/** Closes the connection without an answer. */
export const cut: Play = (response) => response.destroy();
/** Never answers. */
export const silent: Play = () => {};
/** Breaks off in the middle of an answer. */
export const half: Play = (response) => {
  response.writeHead(200, { "content-length": "100" });
  response.write("{");
  setTimeout(() => response.destroy(), 20);
};
/** Answers that the write is done. */
export const done = answer(200, { Attributes: { pk: { S: "a" } } });

/** The input of a write. */
export const write = {
  TableName: "counters",
  Key: { pk: { S: "a" } },
  UpdateExpression: "SET a = :a",
  ExpressionAttributeValues: { ":a": { N: "1" } },
};

/** Asks for one write, and gives what became of it and whether it may have happened although it failed. */
export async function ask(aws: Aws): Promise<{ error?: unknown; output?: unknown; outcomeUnknown: boolean }> {
  const delivery: Delivery = { outcomeUnknown: false };
  try {
    const output = await aws("dynamodb", "UpdateItem", write, delivery);
    return { output, ...delivery };
  } catch (error) {
    return { error, ...delivery };
  }
}
