/** Calls merchants, and calls them again until they accept, as each platform does. */
import type { Notice } from "./answer.ts";
import type { SandboxChannel, Trade } from "./trade.ts";

/** The seconds between one call and the next, by the platforms' documentation. Stripe tells only that they grow. */
const pauses: Readonly<Record<SandboxChannel, readonly number[]>> = {
  alipay: [240, 600, 600, 3_600, 7_200, 21_600, 54_000],
  wechat: [15, 15, 30, 180, 600, 1_200, 1_800, 1_800, 1_800, 3_600, 10_800, 10_800, 10_800, 21_600, 21_600],
  stripe: [60, 300, 1_800, 7_200, 18_000, 36_000, 43_200],
};

const answerMsMax = 5_000;

/** What a merchant's answer has to be so that it is not called again. */
function isAccepted(channel: SandboxChannel, status: number, body: string): boolean {
  if (channel === "alipay") return status === 200 && body === "success";
  return status >= 200 && status < 300;
}

export class Notices {
  readonly #scale: number;
  readonly #now: () => number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopped = false;

  /** `scale`: how many real seconds one second of a pause lasts. */
  constructor(scale: number, now: () => number) {
    this.#scale = scale;
    this.#now = now;
  }

  /** Calls a merchant, and again after each pause until it accepts. Resolves with the first answer's status. */
  async send(trade: Trade, make: () => Notice): Promise<number | "no answer"> {
    return await this.#attempt(trade, make, 0);
  }

  /** Calls later for the first time. */
  sendAfter(seconds: number, trade: Trade, make: () => Notice): void {
    this.#after(seconds, () => this.#attempt(trade, make, 0));
  }

  /** Calls once, whatever the answer is. */
  async sendOnce({ notices }: Trade, notice: Notice): Promise<number | "no answer"> {
    const { status } = await call(notice);
    notices.push({ at: this.#now(), status });
    return status;
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  async #attempt(trade: Trade, make: () => Notice, attempt: number): Promise<number | "no answer"> {
    const { status, body } = await call(make());
    trade.notices.push({ at: this.#now(), status });
    const pause = pauses[trade.channel][attempt];
    const accepted = status !== "no answer" && isAccepted(trade.channel, status, body);
    if (!accepted && pause !== undefined) this.#after(pause, () => this.#attempt(trade, make, attempt + 1));
    return status;
  }

  #after(seconds: number, run: () => Promise<unknown>): void {
    if (this.#isStopped) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void run();
      },
      seconds * 1000 * this.#scale,
    );
    // A process that has nothing else to do does not stay for it.
    timer.unref();
    this.#timers.add(timer);
  }
}

async function call({ url, headers, body }: Notice): Promise<{ status: number | "no answer"; body: string }> {
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    return { status: response.status, body: await response.text() };
  } catch {
    return { status: "no answer", body: "" };
  }
}
