/** The state machine of video tasks: one execution of a name, which submits, then looks until the end. */
import { AwsError } from "#shared/base/platform/aws.ts";
import type { Next, TaskStep } from "#shared/calls/tasks/poll.ts";
import type { Run, Scheduler } from "./scheduler.ts";

/** Takes a step in a run of its own. */
export type Worker = (step: TaskStep, run: Run) => Promise<Next>;

interface Execution {
  input: string;
  running: boolean;
}

const retryMs = 10_000;
/** Looks after which they are spread out further than the product asks, so that a day is not 1,440 of them. */
const closeLooks = 8;
const spread = 40;

export class Executions {
  readonly #scheduler: Scheduler;
  readonly #work: Worker;
  /** Probabilities, as they are now: that an execution fails at a step, or a step is taken twice. */
  readonly #faults: () => { fails: number; twice: number };
  readonly #known = new Map<string, Execution>();
  #steps = 0;

  constructor(scheduler: Scheduler, faults: () => { fails: number; twice: number }, work: Worker) {
    this.#scheduler = scheduler;
    this.#faults = faults;
    this.#work = work;
  }

  act(action: string, { name, input, executionArn }: Record<string, unknown>): object {
    if (action === "StopExecution") {
      const stopped = this.#known.get(String(executionArn).split(":").at(-1) ?? "");
      if (stopped) stopped.running = false;
      return {};
    }
    const known = this.#known.get(String(name));
    if (known && !known.running) throw new AwsError("ExecutionAlreadyExists", 400, {});
    if (known) return {};
    const execution = { input: String(input), running: true };
    this.#known.set(String(name), execution);
    const step = { ...(JSON.parse(execution.input) as Pick<TaskStep, "task" | "organization">), polls: 0 };
    this.#scheduler.after(1, null, () => this.#take(execution, { ...step, action: "submit" }));
    return {};
  }

  #take(execution: Execution, step: TaskStep): void {
    if (!execution.running) return;
    const { random } = this.#scheduler;
    const { fails, twice } = this.#faults();
    if (random.chance(fails)) {
      execution.running = false;
      return;
    }
    if (random.chance(twice)) this.#invoke(step, () => {});
    this.#invoke(step, (next) => {
      if (next?.done) execution.running = false;
      const polls = next?.polls ?? step.polls;
      const wait = next ? next.wait_seconds * 1000 * (polls > closeLooks ? spread : 1) : retryMs;
      this.#scheduler.after(wait, null, () => this.#take(execution, { ...step, action: "poll", polls }));
    });
  }

  /** `ended` is told what came of the step; nothing, if it failed or died. */
  #invoke(step: TaskStep, ended: (next?: Next) => void): void {
    const run = this.#scheduler.createRun(`worker-${++this.#steps}`);
    run.onKilled = () => ended();
    let next: Next | undefined;
    this.#scheduler.spawn(
      run,
      async () => {
        next = await this.#work(step, run);
      },
      () => ended(next),
    );
  }
}
