/** Metrics of AWS that the stand-ins of this machine can tell: how functions run, and how long messages wait. */
import type { LocalFunction } from "../emulators/lambda.ts";
import type { QueueDepth } from "../emulators/sqs.ts";
import type { MetricId, Metrics } from "./metrics.ts";

/** Queues are looked at this often, and whenever somebody looks at the page. */
const sampleMs = 15_000;

export class Sampler {
  readonly #functions = new Set<string>();
  readonly #metrics: Metrics;
  readonly #queues: () => QueueDepth[];
  readonly #timer: NodeJS.Timeout;

  constructor(metrics: Metrics, queues: () => QueueDepth[]) {
    this.#metrics = metrics;
    this.#queues = queues;
    this.#timer = setInterval(() => this.sample(), sampleMs).unref();
  }

  /** Looks at the queues. */
  sample(): void {
    for (const { name, visible, oldestSeconds } of this.#queues()) {
      this.#add("AWS/SQS", "ApproximateNumberOfMessagesVisible", { QueueName: name }, visible);
      this.#add("AWS/SQS", "ApproximateAgeOfOldestMessage", { QueueName: name }, oldestSeconds);
    }
  }

  /** The function, whose invocations are counted from now on. */
  watch(name: string, local: LocalFunction): LocalFunction {
    this.#functions.add(name);
    const add = (metric: string, value: number) =>
      this.#add("AWS/Lambda", metric, { FunctionName: name }, value);
    return {
      ...local,
      invoke: async (event) => {
        const begun = performance.now();
        add("Invocations", 1);
        try {
          const result = await local.invoke(event);
          add("Errors", 0);
          return result;
        } catch (error) {
          add("Errors", 1);
          throw error;
        } finally {
          add("Duration", performance.now() - begun);
        }
      },
    };
  }

  /** Whether this machine measures a metric. */
  isMeasured({ namespace, name, dimensions }: MetricId): boolean {
    switch (namespace) {
      case "AWS/SQS":
        return ["ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"].includes(name);
      case "AWS/Lambda":
        return (
          ["Invocations", "Errors", "Duration"].includes(name) &&
          this.#functions.has(dimensions.FunctionName ?? "")
        );
      case "AWS/Logs":
        return name === "IncomingBytes";
      default:
        return !namespace.startsWith("AWS/");
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #add(namespace: string, name: string, dimensions: Record<string, string>, value: number): void {
    this.#metrics.add({ namespace, name, dimensions }, value, Date.now());
  }
}
