/** SQS on this machine: the queues of an emulator, on loopback only, with the queues of the template. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { objectIn } from "#shared/base/json/fields.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { QueueResource } from "../stack/resources.ts";
import { region } from "../stack/template.ts";
import { listen } from "./listen.ts";
import { createLocalServer } from "./loopback.ts";

/** How many messages a queue has that nobody works on, and how long the oldest of all has been there, in seconds. */
export interface QueueDepth {
  name: string;
  visible: number;
  oldestSeconds: number;
}

export interface Sqs {
  endpoint: string;
  /** How full the queues are now. */
  depths(): QueueDepth[];
  stop(): Promise<void>;
}

/** What is used of the package's modules. Its entry exports none of them. */
interface Store {
  region?: string;
  persistence?: QueuePersistence;
  allQueues(): Iterable<Queue>;
  /** Ends what waits for messages. */
  shutdown(): void;
}

/** A request of SQS's JSON protocol. */
interface QueueRequest {
  headers: IncomingHttpHeaders;
  body: unknown;
}

type Action = (body: unknown, store: Store, asked: QueueRequest) => unknown;

interface Router {
  register(name: string, action: Action): void;
  handle(
    asked: QueueRequest,
    reply: { status(code: number): void; header(name: string, value: string): void },
  ): Promise<unknown>;
}

interface Queue {
  name: string;
  messages: readonly Message[];
  inflightMessages: Map<string, { message: Message }>;
  persistence?: QueuePersistence;
  changeVisibility(receiptHandle: string, seconds: number): void;
}

interface Message {
  /** Unix milliseconds. */
  sentTimestamp: number;
}

interface QueuePersistence {
  db: { prepare(sql: string): { run(...values: string[]): unknown } };
  loadSqsQueues(store: Store): void;
  updateMessageReady(messageId: string): void;
  close(): void;
}

/** The actions, each in the package's module of its name. */
const actions = [
  ...["CreateQueue", "DeleteQueue", "ListQueues", "PurgeQueue", "GetQueueUrl"],
  ...["GetQueueAttributes", "SetQueueAttributes", "ListQueueTags", "TagQueue", "UntagQueue"],
  ...["SendMessage", "SendMessageBatch", "ReceiveMessage", "DeleteMessage", "DeleteMessageBatch"],
  ...["ChangeMessageVisibility", "ChangeMessageVisibilityBatch"],
];

/** Clients keep connections for longer than Node's five seconds. */
const keepAliveMs = 75_000;

/**
 * Starts the server, with its messages below `directory` or in memory. The package's own server loads some 330 modules
 * and listens on every interface, where whoever reaches the usage queue can write bills. So its queues are served here,
 * by the paths of its modules in the pinned version.
 */
export async function startSqs(directory?: string): Promise<Sqs> {
  const { SqsStore } = await partOfPackage<{ SqsStore: new () => Store }>("sqs/sqsStore.js");
  const store = new SqsStore();
  store.region = region;
  const persistence = directory ? await restore(store, directory) : undefined;
  await acceptPairs();
  const router = await createRouter(store);
  const server = createLocalServer((request, response) => void answer(router, request, response));
  server.keepAliveTimeout = keepAliveMs;
  const { url, stop } = await listen(server, 0);
  return {
    endpoint: url,
    depths: () => [...store.allQueues()].map(depthOf),
    async stop() {
      store.shutdown();
      await stop();
      persistence?.close();
    },
  };
}

async function answer(router: Router, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers } = request;
  // A client that goes away in the middle of its request gets nothing done.
  const body = objectIn(await text(request).catch(() => ""));
  if (!body) return void response.writeHead(400).end(JSON.stringify(noJson));
  const reply = {
    status(code: number) {
      response.statusCode = code;
    },
    header: (name: string, value: string) => void response.setHeader(name, value),
  };
  try {
    response.end(JSON.stringify(await router.handle({ headers, body }, reply)));
  } catch (error) {
    response.writeHead(500).end(JSON.stringify({ __type: "InternalFailure", message: String(error) }));
  }
}

const noJson = { __type: "com.amazonaws.sqs#SerializationException", message: "the body is no JSON object" };

/** An action's module is loaded when it is first asked for. */
async function createRouter(store: Store): Promise<Router> {
  const { SqsRouter } = await partOfPackage<{ SqsRouter: new (store: Store) => Router }>("sqs/sqsRouter.js");
  const router = new SqsRouter(store);
  for (const name of actions) {
    const own = name.charAt(0).toLowerCase() + name.slice(1);
    router.register(name, async (...asked) => {
      const action = (await partOfPackage<Record<string, Action>>(`sqs/actions/${own}.js`))[own];
      return action?.(...asked);
    });
  }
  return router;
}

/** What no message of SQS may have: what is no character of XML. */
const refused = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** The package looks at each half of a pair by itself, so it would refuse a message with an emoji. SQS takes it. */
async function acceptPairs(): Promise<void> {
  const part = await partOfPackage<{ INVALID_MESSAGE_BODY_CHAR: RegExp }>("sqs/sqsTypes.js");
  part.INVALID_MESSAGE_BODY_CHAR.test = (text) => refused.test(text);
}

function depthOf({ name, messages, inflightMessages }: Queue): QueueDepth {
  let oldest = Date.now();
  for (const { sentTimestamp } of messages) oldest = Math.min(oldest, sentTimestamp);
  for (const { message } of inflightMessages.values()) oldest = Math.min(oldest, message.sentTimestamp);
  return { name, visible: messages.length, oldestSeconds: (Date.now() - oldest) / 1_000 };
}

/** Loads what an earlier process left, and writes every change from now on. */
async function restore(store: Store, directory: string): Promise<QueuePersistence> {
  const { PersistenceManager } = await partOfPackage<{
    PersistenceManager: new (directory: string) => QueuePersistence;
  }>("persistence.js");
  const persistence = new PersistenceManager(directory);
  // For a message that is put back the package writes no count of receives, which its own table requires. The write
  // fails, and the message is lost until the next start. The count stays the same, so it is written again.
  const putBack = persistence.db.prepare(
    "UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?",
  );
  persistence.updateMessageReady = (messageId) => void putBack.run(messageId);
  // None of this is written to disk: a queue that is created there again loses its messages.
  persistence.loadSqsQueues(store);
  for (const queue of store.allQueues()) {
    // The process that had received these messages is dead, so they are visible at once.
    for (const receiptHandle of [...queue.inflightMessages.keys()]) queue.changeVisibility(receiptHandle, 0);
    queue.persistence = persistence;
  }
  store.persistence = persistence;
  return persistence;
}

async function partOfPackage<Part>(path: string): Promise<Part> {
  return (await import(new URL(path, import.meta.resolve("fauxqs")).href)) as Part;
}

/** Creates the queues that are not there yet, and gives all of them the template's attributes. */
export async function createQueues(aws: Aws, queues: QueueResource[]): Promise<void> {
  for (const { name, attributes } of queues) {
    const { QueueUrl } = await aws("sqs", "CreateQueue", { QueueName: name });
    await aws("sqs", "SetQueueAttributes", { QueueUrl, Attributes: attributes });
  }
}
