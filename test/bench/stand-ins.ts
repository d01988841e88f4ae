/** Stand-ins for what the measured gateway calls on AWS: a queue that only acknowledges, a DynamoDB that is counted. */
import { createServer, request as forward, type IncomingMessage } from "node:http";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";

export interface Queue extends Listening {
  /** Bodies of the messages sent to it. */
  messages: string[];
}

/** What `SendMessage` or `SendMessageBatch` sends. */
interface Sent {
  MessageBody: string;
  Entries?: { Id: string; MessageBody: string }[];
}

/** Acknowledges every message at once, so that settling takes no time from what is measured. */
export async function startQueue(): Promise<Queue> {
  const messages: string[] = [];
  const server = createServer(async (request, response) => {
    const { MessageBody, Entries } = JSON.parse(await bodyOf(request)) as Sent;
    messages.push(...(Entries?.map((entry) => entry.MessageBody) ?? [MessageBody]));
    const Successful = Entries?.map(({ Id }) => ({ Id, MessageId: Id }));
    response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(Successful ? { Successful } : { MessageId: String(messages.length) }));
  });
  return { ...(await listen(server, 0)), messages };
}

export interface Counter extends Listening {
  /** Capacity units that an action has taken since it was last asked about. */
  take(action: string): number;
  /** Forgets what was counted. */
  clear(): void;
}

interface Capacity {
  CapacityUnits: number;
}

/** Passes everything on to a DynamoDB and adds up the capacity units it says it took. */
export async function startCounter(target: string): Promise<Counter> {
  const units = new Map<string, number>();
  const server = createServer(async (incoming, outgoing) => {
    const action = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    const input = JSON.parse(await bodyOf(incoming)) as object;
    const body = JSON.stringify({ ...input, ReturnConsumedCapacity: "TOTAL" });
    const headers = { ...incoming.headers, "content-length": Buffer.byteLength(body) };
    const sent = forward(target, { method: "POST", headers }, async (reply) => {
      const text = await bodyOf(reply);
      const { ConsumedCapacity = [] } = JSON.parse(text) as { ConsumedCapacity?: Capacity | Capacity[] };
      const spent = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
      units.set(action, (units.get(action) ?? 0) + spent);
      outgoing.writeHead(reply.statusCode ?? 500, { "content-type": "application/x-amz-json-1.0" }).end(text);
    });
    sent.on("error", () => outgoing.destroy());
    sent.end(body);
  });
  const take = (action: string) => {
    const spent = units.get(action) ?? 0;
    units.delete(action);
    return spent;
  };
  return { ...(await listen(server, 0)), take, clear: () => units.clear() };
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
