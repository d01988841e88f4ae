/**
 * AWS as one attempt of the product's client sees it: tables, queue and state machine, with everything
 * that comes between.
 */
import { limits } from "#shared/base/limits.ts";
import { AwsError, parseJson, ThrottledError, type Transport } from "#shared/base/platform/aws.ts";
import { TransportError } from "#shared/base/platform/http-client.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb, type Written } from "#test/support/memory-dynamodb.ts";
import { Executions, type Worker } from "./executions.ts";
import type { Lesson } from "./learning.ts";
import { lessonQueue } from "./ports.ts";
import type { Run, Scheduler } from "./scheduler.ts";
import { calm, type Weather } from "./weather.ts";

interface QueuedMessage {
  id: string;
  body: string;
  /** When it can be received (again). */
  visibleAt: number;
}

/** A function that takes a batch of messages and gives the ids of those that failed. */
type Consumer = (batch: QueuedMessage[], run: Run) => Promise<string[]>;

/** What happens in the cloud by itself is done by these. */
interface Functions {
  settle: Consumer;
  learn: (batch: Lesson[], run: Run) => Promise<string[]>;
  work: Worker;
  onWrite: (written: Written) => void;
}

const batchWindowMs = 2_000;
const visibilityMs = 60_000;
const batchMax = 10;
const outageMs = 120_000;
const burstMs = 3_000;

export class Cloud {
  readonly db: MemoryDynamoDb;
  readonly scheduler: Scheduler;
  weather: Weather;
  readonly messages = new Map<string, QueuedMessage>();
  #throttledUntil = 0;
  #down = { sqs: false, dynamodb: false };
  #sent = 0;
  #batches = 0;
  readonly #consume: Consumer;
  readonly #learn: Functions["learn"];
  readonly #executions: Executions;

  constructor(scheduler: Scheduler, weather: Weather, { settle, learn, work, onWrite }: Functions) {
    this.scheduler = scheduler;
    this.weather = weather;
    this.#consume = settle;
    this.#learn = learn;
    const faults = () => ({ fails: this.weather.effects.kill, twice: this.weather.duplicate });
    this.#executions = new Executions(scheduler, faults, work);
    this.db = createMemoryDynamoDb({ now: () => scheduler.now, onWrite });
    this.#changeOutages();
  }

  /** The way to AWS without faults, for what is not under test. */
  readonly quiet: Transport = async (_, action, body) => this.db.act(action, parseJson(body) as object);

  /** The way of a run to AWS. An answer that does not come is given up after `timeoutMs`. */
  transport(run: Run, timeoutMs: number): Transport {
    return (service, action, body) => {
      const input = parseJson(body) as Record<string, unknown>;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const { random } = this.scheduler;
      const giveUp = () => reject(new TransportError("sent", new Error("timeout")));
      // Only a trace tells it, and it takes longer than the action itself.
      const label = this.scheduler.trace ? describe(action, input) : action;
      if (random.chance(this.weather.requestLost)) {
        this.scheduler.note(run, `${label} is lost on its way`);
        this.scheduler.after(timeoutMs, run, giveUp);
        return promise;
      }
      const act = (): object => {
        this.#refuse(service, action, input);
        if (input.QueueUrl === lessonQueue) return this.#teach(String(input.MessageBody));
        if (action === "SendMessageBatch") return this.#sendBatch(input);
        if (service === "sqs") return this.#send(input);
        if (action === "BatchExecuteStatement") return this.#executeBatch(input);
        if (service === "states") return this.#executions.act(action, input);
        if (input.TableName === this.db.tables.board) this.#loseBoard();
        return this.db.act(action, input);
      };
      if (random.chance(this.weather.stray)) {
        this.scheduler.after(timeoutMs, run, giveUp);
        this.scheduler.after(timeoutMs + random.between(1, this.weather.strayMs), null, () => {
          this.scheduler.note(run, `${label} arrives late`);
          try {
            act();
          } catch {
            // Nobody waits for the answer.
          }
        });
        return promise;
      }
      this.scheduler.effect(run, label, this.weather.effects, act).then(
        (answer) => {
          if (!random.chance(this.weather.answerLost)) return resolve(answer);
          this.scheduler.note(run, `the answer to ${action} is lost`);
          this.scheduler.after(timeoutMs, run, giveUp);
        },
        (error: unknown) => reject(error),
      );
      return promise;
    };
  }

  /** From now on nothing goes wrong any more. */
  calmDown(): void {
    // Sealing is no fault: it goes on.
    this.weather = { ...calm, seal: this.weather.seal };
    this.#down = { sqs: false, dynamodb: false };
    this.#throttledUntil = 0;
  }

  #changeOutages(): void {
    const { random } = this.scheduler;
    const { queueDown, tablesDown } = this.weather;
    this.#down = { sqs: random.chance(queueDown), dynamodb: random.chance(tablesDown) };
    if (queueDown + tablesDown > 0)
      this.scheduler.after(random.between(1, outageMs), null, () => this.#changeOutages());
  }

  #refuse(service: string, action: string, input: Record<string, unknown>): void {
    const { random, now } = this.scheduler;
    const { throttled, burst, conflict } = this.weather;
    if (service === "sqs" && this.#down.sqs) throw new AwsError("ServiceUnavailable", 503, {});
    if (service === "dynamodb" && this.#down.dynamodb && random.chance(0.9))
      throw new AwsError("InternalServerError", 500, {});
    if (service === "dynamodb" && random.chance(burst))
      this.#throttledUntil = now + random.between(1, burstMs);
    const isBurst = service === "dynamodb" && now < this.#throttledUntil;
    if (isBurst || random.chance(throttled)) throw new ThrottledError("ThrottlingException", 400, {});
    if (!random.chance(conflict)) return;
    if (action === "TransactWriteItems") {
      const items = input.TransactItems as object[];
      const hit = random.between(0, items.length - 1);
      const CancellationReasons = items.map((_, i) => ({ Code: i === hit ? "TransactionConflict" : "None" }));
      throw new AwsError("TransactionCanceledException", 400, { CancellationReasons });
    }
    if (action === "UpdateItem" || action === "PutItem")
      throw new AwsError("TransactionConflictException", 400, {});
  }

  #loseBoard(): void {
    const { random } = this.scheduler;
    const { boardDown, boardLost } = this.weather;
    if (random.chance(boardDown)) throw new AwsError("ResourceNotFoundException", 400, {});
    if (random.chance(boardLost)) this.db.forget("board");
  }

  #send(input: Record<string, unknown>): object {
    const { random, now } = this.scheduler;
    const { late, lateMs } = this.weather;
    const id = `message-${++this.#sent}`;
    const delay = random.between(0, random.chance(late) ? lateMs : 2_000);
    this.messages.set(id, { id, body: String(input.MessageBody), visibleAt: now + delay });
    // A poller waits a little for more to come with it.
    this.scheduler.after(delay + random.between(0, batchWindowMs), null, () => this.#poll());
    return { MessageId: id };
  }

  /** Lessons come one by one, again where they failed, and at last no more. One whose learner dies is lost. */
  #teach(body: string): object {
    const { random } = this.scheduler;
    const id = `lesson-${++this.#sent}`;
    const deliver = (tries: number): void => {
      const run = this.scheduler.createRun(`learn-${id}-${tries}`);
      this.scheduler.spawn(run, async () => {
        const failed = await this.#learn([{ id, body, tries }], run);
        const again = failed.length > 0 || random.chance(this.weather.duplicate);
        if (again && tries < limits.lessonTriesMax)
          this.scheduler.after(visibilityMs, null, () => deliver(tries + 1));
      });
    };
    this.scheduler.after(random.between(0, batchWindowMs), null, () => deliver(1));
    return { MessageId: id };
  }

  /** Some entries of a batch may be refused. */
  #sendBatch({ Entries }: Record<string, unknown>): object {
    const { entryRefused } = this.weather;
    const answer = { Successful: [] as object[], Failed: [] as object[] };
    for (const entry of Entries as Record<string, unknown>[]) {
      const { Id } = entry;
      if (this.scheduler.random.chance(entryRefused)) {
        this.scheduler.note(null, "an entry of a batch is refused");
        answer.Failed.push({ Id, SenderFault: false, Code: "InternalError" });
      } else answer.Successful.push({ Id, ...this.#send(entry) });
    }
    return answer;
  }

  /** Some statements of a batch may be refused. */
  #executeBatch({ Statements }: Record<string, unknown>): object {
    const Responses = (Statements as object[]).map((statement) => {
      if (this.scheduler.random.chance(this.weather.entryRefused))
        return { Error: { Code: "ThrottlingError" } };
      const { Responses: [answer] = [] } = this.db.act("BatchExecuteStatement", {
        Statements: [statement],
      }) as { Responses?: object[] };
      return answer;
    });
    return { Responses };
  }

  #poll(): void {
    const { random, now } = this.scheduler;
    const due = [...this.messages.values()].filter(({ visibleAt }) => visibleAt <= now);
    const batch = random.shuffle(due).slice(0, random.between(1, batchMax));
    if (batch.length === 0) return;
    for (const message of batch) {
      message.visibleAt =
        now + visibilityMs + random.between(0, random.chance(this.weather.late) ? this.weather.lateMs : 0);
      this.scheduler.after(message.visibleAt - now, null, () => this.#poll());
    }
    if (batch.length < due.length) this.scheduler.after(1, null, () => this.#poll());
    const run = this.scheduler.createRun(`settle-${++this.#batches}`);
    this.scheduler.note(run, `receives ${batch.map(({ id }) => id).join(" ")}`);
    const deliver = async () => {
      const failed = new Set(await this.#consume(batch, run));
      for (const { id } of batch) {
        // At least once: now and then a message that was worked off comes again.
        if (!failed.has(id) && !random.chance(this.weather.duplicate)) this.messages.delete(id);
      }
    };
    this.scheduler.spawn(run, deliver);
  }
}

/** An action with the item it is about, for the trace. */
function describe(action: string, input: Record<string, unknown>): string {
  const items = (input.TransactItems as object[] | undefined)?.flatMap(
    (item) => Object.values(item) as object[],
  ) ?? [input];
  const keys = items.map((item) => {
    const { Key, Item } = item as Record<"Key" | "Item", Record<string, { S?: string }> | undefined>;
    const key = Key ?? Item;
    return [key?.pk?.S, key?.sk?.S].filter((part) => part !== undefined).join(" ");
  });
  const holds = namesOf(input).filter((name) => /^h[0-9A-Z]{26}$/.test(name));
  const ends = String(input.UpdateExpression).includes("REMOVE");
  const joined = holds.length > 1 ? `, ${ends ? "ends" : "takes"} ${holds.length} holds` : "";
  const gives = items.some((item) => namesOf(item as Record<string, unknown>).includes("moves"));
  return `${action} ${keys.join(" + ")}`.trim() + joined + (gives ? ", moves parts of a budget" : "");
}

function namesOf({ ExpressionAttributeNames = {} }: Record<string, unknown>): string[] {
  return Object.values(ExpressionAttributeNames as Record<string, string>);
}
