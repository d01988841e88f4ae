/** SQS on this machine: the embedded server, on loopback only, with the queues of the template. */
import { buildApp } from "fauxqs";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { QueueResource } from "../stack/resources.ts";
import { region } from "../stack/template.ts";
import { isOfThisMachine, refusalText } from "./loopback.ts";

/** How many messages a queue has that nobody works on, and how long the oldest of all has been there, in seconds. */
export interface QueueDepth {
  name: string;
  visible: number;
  oldestSeconds: number;
}

type BuildAppOptions = NonNullable<Parameters<typeof buildApp>[0]>;

export interface Sqs {
  endpoint: string;
  /** How full the queues are now. */
  depths(): QueueDepth[];
  stop(): Promise<void>;
}

/** What is used of two modules of the package that its entry does not export. */
interface Store {
  persistence?: Persistence;
  allQueues(): Iterable<Queue>;
}

interface Queue {
  name: string;
  messages: readonly Message[];
  inflightMessages: Map<string, { message: Message }>;
  persistence?: Persistence;
  changeVisibility(receiptHandle: string, seconds: number): void;
}

interface Message {
  /** Unix milliseconds. */
  sentTimestamp: number;
}

interface Persistence {
  db: { prepare(sql: string): { run(...values: string[]): unknown } };
  loadSqsQueues(store: Store): void;
  updateMessageReady(messageId: string): void;
  close(): void;
}

/**
 * Starts the server, with its messages below `directory` or in memory. The package's own start listens on every
 * interface of the machine, and whoever reaches the usage queue can write bills. So its modules are put together here,
 * by their paths in the pinned version.
 */
export async function startSqs(directory?: string): Promise<Sqs> {
  const { SqsStore } = await partOfPackage<{ SqsStore: new () => Store }>("sqs/sqsStore.js");
  const store = new SqsStore();
  const persistence = directory ? await restore(store, directory) : undefined;
  await acceptPairs();
  const stores = { sqsStore: store } as unknown as NonNullable<BuildAppOptions["stores"]>;
  const app = buildApp({ logger: false, defaultRegion: region, stores });
  app.addHook("onRequest", (request, reply, next) => {
    if (isOfThisMachine(request.headers)) next();
    else void reply.code(403).type("text/plain").send(refusalText);
  });
  const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    endpoint,
    depths: () => [...store.allQueues()].map(depthOf),
    async stop() {
      app.server.closeAllConnections();
      await app.close();
      persistence?.close();
    },
  };
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
async function restore(store: Store, directory: string): Promise<Persistence> {
  const { PersistenceManager } = await partOfPackage<{
    PersistenceManager: new (directory: string) => Persistence;
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
