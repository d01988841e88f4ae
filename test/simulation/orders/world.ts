/**
 * A simulated world of orders: the console's operations and the reconciler over the real store, each invocation a run of
 * the scheduler, with platforms in memory. Time, deaths and lost messages are the seed's.
 */

import { AwsError, createAws, parseJson, ThrottledError, type Transport } from "#shared/base/platform/aws.ts";
import { TransportError } from "#shared/base/platform/http-client.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { dueKinds } from "#shared/edges/store/dynamodb/account-keys.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import type { RefundDeps } from "#shared/people/orders/refund.ts";
import type { TopUpDeps } from "#shared/people/orders/top-up.ts";
import type { PlanOrder } from "#shared/people/payments/order.ts";
import type { Evidence } from "#shared/people/payments/platform.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import type { Database } from "#test/support/dynamodb.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { orderDeps, signedUp } from "#test/support/orders.ts";
import { type Between, platformsOver, silence, Trades } from "#test/support/trades.ts";
import type { Run, Scheduler } from "../scheduler.ts";
import type { Automated } from "./automatic.ts";
import { AutomaticWatch } from "./automatic-books.ts";
import { clear, isFair, type OrderWeather } from "./weather.ts";

/** A change of what the product does, made around its ports. */
export type OrderMutation = (inner: OrderDeps) => Partial<Omit<OrderDeps, "ledger">>;

/** What an invocation works with. */
export type WorldDeps = OrderDeps & RefundDeps & Pick<TopUpDeps, "meters">;

const minuteMs = 60_000;
const timeoutMs = 5_000;

export class OrderWorld {
  readonly scheduler: Scheduler;
  readonly db: MemoryDynamoDb;
  readonly trades: Record<PaymentChannel, Trades>;
  /** The database as nobody disturbs it. */
  readonly quiet: Database;
  /** How often each line was logged. */
  readonly told = new Map<string, number>();
  /** The orders that each `Idempotency-Key` has made, as its requests were answered. */
  readonly keyed = new Map<string, Set<string>>();
  /** What customers were promised, by order. */
  readonly promises = new Map<string, PlanOrder>();
  /** The organizations that top up by themselves, and their orders as they are written. */
  readonly automated: Automated[] = [];
  readonly watch = new AutomaticWatch();
  weather: OrderWeather;
  /** How far a clock of this history may be off. */
  readonly skewMs: number;
  /** Whether a payment has to be found within the promised time. */
  readonly isFair: boolean;
  /** When the history began. */
  readonly start: number;
  readonly #mutation: OrderMutation | undefined;
  readonly #runsAt = new Set<number>();
  #runs = 0;

  constructor(scheduler: Scheduler, weather: OrderWeather, mutation?: OrderMutation) {
    this.scheduler = scheduler;
    this.weather = weather;
    this.skewMs = weather.skewMs;
    this.isFair = isFair(weather);
    this.start = scheduler.now;
    this.#mutation = mutation;
    const now = () => scheduler.now;
    this.db = createMemoryDynamoDb({
      now,
      // A run in each minute would be most of a seed's time, so only those that find something are made.
      onWrite: ({ table, before, after }) => {
        if (table === "accounts") this.watch.saw(before, after, this);
        const due_at = after && dueAt(after);
        if (due_at !== undefined) this.#expectRun(due_at);
      },
    });
    this.quiet = { aws: awsOverMemory(this.db), tables: this.db.tables };
    this.trades = { alipay: new Trades(now, true), wechat: new Trades(now), stripe: new Trades(now) };
  }

  async signUp(): Promise<Organization> {
    return await signedUp(this.quiet, this.scheduler.now);
  }

  /** An invocation of the console's function. Its errors are its client's. */
  invoke(name: string, act: (deps: WorldDeps) => Promise<unknown>, ended?: (error?: unknown) => void): void {
    const run = this.scheduler.createRun(`${name}-${++this.#runs}`);
    const told = (error?: unknown) => {
      if (error !== undefined) this.scheduler.note(run, `ends with ${String(error)}`);
      ended?.(error);
    };
    this.scheduler.spawn(run, async () => void (await act(this.#depsOf(run))), told);
  }

  /** The platform tells of an order, perhaps late, again, or never. It repeats what was not accepted. */
  tell(evidence: Evidence, left = 8): void {
    const { random } = this.scheduler;
    const { noticeLost, noticeAgain, noticeLateMs } = this.weather;
    if (random.chance(noticeLost)) return;
    const repeat = () =>
      left > 1 && this.scheduler.after(15_000 * 2 ** (8 - left), null, () => this.tell(evidence, left - 1));
    this.scheduler.after(random.between(1, noticeLateMs), null, () => {
      this.invoke(
        "notice",
        (deps) => takeNotice(evidence, deps),
        (error) => error !== undefined && repeat(),
      );
      if (random.chance(noticeAgain)) this.tell(evidence, left - 1);
    });
  }

  /** From now on nothing goes wrong any more. */
  calmDown(): void {
    this.weather = clear;
  }

  #expectRun(due_at: number): void {
    const at = Math.ceil(Math.max(due_at, this.scheduler.now + 1) / minuteMs) * minuteMs;
    if (this.#runsAt.has(at)) return;
    this.#runsAt.add(at);
    this.scheduler.after(at - this.scheduler.now, null, () => {
      this.#runsAt.delete(at);
      if (!this.scheduler.random.chance(this.weather.missedRun)) this.invoke("reconciler", reconcile);
      this.scheduler.after(minuteMs - 1, null, () => this.#expectRest());
    });
  }

  /** What a run left undone, because it died or was off by its clock, waits for the next minute. */
  #expectRest(): void {
    const due = this.db.items("accounts").some((item) => (dueAt(item) ?? Infinity) <= this.scheduler.now);
    if (due) this.#expectRun(this.scheduler.now + 1);
  }

  #depsOf(run: Run): WorldDeps {
    const { random } = this.scheduler;
    const skew = random.between(-this.weather.skewMs, this.weather.skewMs);
    const credentials = () => ({ accessKeyId: "", secretAccessKey: "" });
    const aws = createAws(
      { region: "", credentials, endpoints: {}, attemptsMax: 4, timeoutMs },
      this.#transport(run),
    );
    const deps = orderDeps({ aws, tables: this.db.tables }, {}, { now: 0 });
    const whole: WorldDeps = {
      ...deps,
      platforms: platformsOver(this.trades, this.#between(run)),
      now: () => this.scheduler.now + skew,
      log: (_level, event, fields = {}) => {
        this.told.set(event, (this.told.get(event) ?? 0) + 1);
        this.scheduler.note(run, `log ${event} ${JSON.stringify(fields)}`);
      },
    };
    return { ...whole, ...this.#mutation?.(whole) };
  }

  /** One try of a call to DynamoDB. */
  #transport(run: Run): Transport {
    return (_service, action, body) => {
      const { random } = this.scheduler;
      const { requestLost, stray, answerLost, effects } = this.weather;
      const input = parseJson(body) as object;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const giveUp = () =>
        this.scheduler.after(timeoutMs, run, () => reject(new TransportError("sent", new Error("timeout"))));
      if (random.chance(requestLost)) {
        giveUp();
        return promise;
      }
      if (random.chance(stray)) {
        giveUp();
        this.scheduler.after(timeoutMs + random.between(1, 60_000), null, () => {
          this.scheduler.note(run, `${action} arrives late`);
          try {
            this.db.act(action, input);
          } catch {
            // Nobody waits for the answer.
          }
        });
        return promise;
      }
      const act = (): object => {
        this.#refuse(action, input);
        return this.db.act(action, input);
      };
      this.scheduler.effect(run, action, effects, act).then(
        (answer) => (random.chance(answerLost) ? giveUp() : resolve(answer)),
        (error: unknown) => reject(error),
      );
      return promise;
    };
  }

  #refuse(action: string, input: object): void {
    const { random } = this.scheduler;
    if (random.chance(this.weather.throttled)) throw new ThrottledError("ThrottlingException", 400, {});
    if (action !== "TransactWriteItems" || !random.chance(this.weather.conflict)) return;
    const { length } = (input as { TransactItems: object[] }).TransactItems;
    const hit = random.between(0, length - 1);
    const codes = Array.from({ length }, (_, at) => ({ Code: at === hit ? "TransactionConflict" : "None" }));
    throw new AwsError("TransactionCanceledException", 400, { CancellationReasons: codes });
  }

  /** A question to a platform. What is not answered may have been done. */
  #between(run: Run): Between {
    return async (call, act) => {
      const { random } = this.scheduler;
      const { platformDeaf, platformMute, effects } = this.weather;
      const isDeaf = random.chance(platformDeaf);
      const answer = await this.scheduler.effect(run, `asks to ${call}`, effects, () =>
        isDeaf ? undefined : act(),
      );
      if (isDeaf || random.chance(platformMute)) throw silence();
      return answer as ReturnType<typeof act>;
    };
  }
}

/** When an item is due for the reconciler. Lines of the audit log that wait for their mails are in the same index. */
function dueAt({ due_kind, due_at }: Item): number | undefined {
  const isOrder = due_kind?.S === dueKinds.order || due_kind?.S === dueKinds.recheck;
  return isOrder && due_at?.S !== undefined ? Number(due_at.S) : undefined;
}
