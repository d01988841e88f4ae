/**
 * In the place of undici, for one process: providers and AWS answer at once, without a socket. What a call allocates
 * then does not depend on how bytes arrive. The product's own code runs from the front down to undici's `dispatch`.
 */
import type { MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { answerTo } from "../provider.ts";
import { vendorAnswers, vendorStreams } from "../vendor-answers.ts";

/** What the product gives undici. */
interface Options {
  path: string;
  headers: Record<string, string>;
  body: Buffer | readonly Buffer[];
}

/** What undici tells of one request. */
interface Call {
  onConnect(abort: (error: unknown) => void): void;
  onHeaders(status: number, raw: readonly Buffer[]): boolean;
  onData(piece: Buffer): boolean;
  onComplete(): void;
}

/** What was asked of AWS since `asked` was last emptied: requests and bytes of their bodies, by action. */
interface Asked {
  requests: Record<string, number>;
  bytes: number;
}

/** Where undici keeps the agent of `fetch`, whose class the product takes (shared/base/platform/undici.ts). */
const agentOfFetch = Symbol.for("undici.globalDispatcher.1");

const typed = (type: string) => [Buffer.from("content-type"), Buffer.from(type)];
const json = typed("application/json");
const sse = typed("text/event-stream");

const pieces = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));

/** Answers of providers by the end of the path that they are asked at. */
const provided: Record<string, { whole: Buffer[]; stream: Buffer[] }> = {
  "/chat/completions": { whole: answerTo("whole"), stream: answerTo("stream") },
  "/messages": { whole: pieces([vendorAnswers.anthropic]), stream: pieces(vendorStreams.anthropic) },
};

/** The texts of the secrets by their names. */
export type Secrets = Readonly<Record<string, string>>;

/** Takes undici's place for the rest of the process. Gives what is counted. */
export function replaceUndici(db: MemoryDynamoDb, secrets: Secrets): Asked {
  const asked: Asked = { requests: {}, bytes: 0 };
  const aws = answersOfAws(db, secrets);
  // The product looks for a class of this name.
  class Agent {
    dispatch({ path, headers, body }: Options, call: Call): boolean {
      const whole = Buffer.isBuffer(body) ? body : Buffer.concat(body);
      const [, action] = headers["x-amz-target"]?.split(".") ?? [];
      if (action === undefined) return play(call, ...fromProvider(path, whole));
      asked.requests[action] = (asked.requests[action] ?? 0) + 1;
      asked.bytes += whole.length;
      return play(call, json, [aws(action, whole)]);
    }
  }
  // Node makes its own when a class of fetch is first looked at.
  void globalThis.Request;
  Reflect.set(globalThis, agentOfFetch, new Agent());
  return asked;
}

/** Tells a call its answer, each piece in a turn of the loop of its own. */
function play(call: Call, head: readonly Buffer[], chunks: readonly Buffer[]): true {
  let next = 0;
  const step = () => {
    const chunk = chunks[next++];
    if (!chunk) return call.onComplete();
    call.onData(chunk);
    setImmediate(step);
  };
  setImmediate(() => {
    call.onConnect(() => {});
    call.onHeaders(200, head);
    step();
  });
  return true;
}

function fromProvider(path: string, body: Buffer): [readonly Buffer[], readonly Buffer[]] {
  const found = Object.entries(provided).find(([end]) => path.endsWith(end));
  if (!found) throw new Error(`no provider answers ${path}`);
  const [, { whole, stream }] = found;
  return body.includes('"stream":true') ? [sse, stream] : [json, whole];
}

/** Actions whose answer is the same for every call of one kind. */
const repeated = new Set(["UpdateItem", "PutItem", "BatchWriteItem", "BatchExecuteStatement"]);

type Answer = (action: string, body: Buffer) => Buffer;

/**
 * The database answers one write of each kind, and later ones get that answer. So the figures are of the product, and
 * not of the database that plays in the same process.
 */
function answersOfAws(db: MemoryDynamoDb, secrets: Secrets): Answer {
  const known = new Map<string, Buffer>();
  const others: Record<string, (input: never) => object> = {
    SendMessage: () => ({ MessageId: "1" }),
    SendMessageBatch: ({ Entries }: { Entries: { Id: string }[] }) => ({
      Successful: Entries.map(({ Id }) => ({ Id, MessageId: Id })),
    }),
    GetSecretValue: ({ SecretId }: { SecretId: string }) => ({ SecretString: secrets[SecretId] }),
  };
  const act: Answer = (action, body) => {
    const input = JSON.parse(body.toString()) as never;
    return Buffer.from(JSON.stringify(others[action]?.(input) ?? db.act(action, input)));
  };
  return (action, body) => {
    if (!repeated.has(action) && action !== "SendMessage") return act(action, body);
    const kind = kindOf(action, body);
    const before = known.get(kind);
    if (before) return before;
    const answer = act(action, body);
    known.set(kind, answer);
    return answer;
  };
}

const updateMark = '"UpdateExpression":"';

/** Writes of one kind differ only in their values: their names are placeholders. */
function kindOf(action: string, body: Buffer): string {
  const from = body.indexOf(updateMark);
  const expression =
    from < 0
      ? ""
      : body.toString("latin1", from + updateMark.length, body.indexOf('"', from + updateMark.length));
  return `${action} ${expression} ${body.includes("ALL_NEW") ? "whole" : ""}`;
}
