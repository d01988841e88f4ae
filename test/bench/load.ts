/**
 * The other side of the bench in a process of its own: the provider, and the clients who call it directly or
 * through the gateway. Told what to do by its parent, whose end is its own.
 */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { requests, startProvider } from "./provider.ts";
import { type WorkloadName, workloads } from "./workloads.ts";

/** Calls at a steady rate whatever becomes of them, or so many at once, each followed by another. */
type Rhythm = { perSecond: number } | { inFlight: number };

export interface Round {
  url: string;
  key: string;
  /** Beside those that every call has. */
  headers: Record<string, string>;
  request: keyof typeof requests | WorkloadName;
  rhythm: Rhythm;
  /** How long calls are started. */
  seconds: number;
  /** After how many no further one is started; as many as there is time for, if absent. With so many in flight only. */
  callsMax?: number;
}

export interface RoundResult {
  calls: number;
  /** From the first call to the end of the last. */
  seconds: number;
  /** Of every call, milliseconds until the first byte of its body. */
  firstByteMs: number[];
  /** Of every call, milliseconds until its end. */
  wholeMs: number[];
}

/** Milliseconds of one call. */
interface Timed {
  firstByteMs: number;
  wholeMs: number;
}

export type FromLoad = { kind: "ready"; url: string } | ({ kind: "result" } & RoundResult);

/** The connections of a round. A later round has new ones: a side may close those that were idle in between. */
let agent = new Agent({ keepAlive: true });

/**
 * One call, read to its end. Rejects unless it is answered with 200: what is refused costs nothing to do.
 */
function call({ url, key, headers: more, request: name }: Round): Promise<Timed> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const { path, body } =
      name in workloads ? workloads[name as WorkloadName] : chatOf(name as keyof typeof requests);
    const headers = {
      ...more,
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": body.length,
    };
    const sent = request(url + path, { method: "POST", agent, headers }, (reply) => {
      let firstByteMs = 0;
      let first = "";
      reply.once("data", (chunk: Buffer) => {
        firstByteMs = performance.now() - startedAt;
        if (reply.statusCode !== 200) first = chunk.toString("utf8");
      });
      reply.once("error", reject);
      reply.once("end", () => {
        if (reply.statusCode === 200) resolve({ firstByteMs, wholeMs: performance.now() - startedAt });
        else reject(new Error(`${url} answered a call with ${reply.statusCode}: ${first}`));
      });
    });
    sent.once("error", (error) => reject(new Error(`${url}: ${error.message}`, { cause: error })));
    sent.end(body);
  });
}

const chatOf = (name: keyof typeof requests) => ({ path: workloads.chat.path, body: requests[name] });

async function run(round: Round): Promise<RoundResult> {
  const result: RoundResult = { calls: 0, seconds: 0, firstByteMs: [], wholeMs: [] };
  const startedAt = performance.now();
  const secondsGone = () => (performance.now() - startedAt) / 1000;
  const measure = async () => {
    const { firstByteMs, wholeMs } = await call(round);
    result.firstByteMs.push(firstByteMs);
    result.wholeMs.push(wholeMs);
    result.calls += 1;
  };
  const { rhythm, seconds, callsMax = Number.POSITIVE_INFINITY } = round;
  let started = 0;
  if ("inFlight" in rhythm) {
    const client = async () => {
      while (secondsGone() < seconds && started++ < callsMax) await measure();
    };
    await Promise.all(Array.from({ length: rhythm.inFlight }, client));
  } else {
    const open: Promise<void>[] = [];
    while (open.length < rhythm.perSecond * seconds) {
      await sleep(Math.max(0, (open.length / rhythm.perSecond - secondsGone()) * 1000));
      open.push(measure());
    }
    await Promise.all(open);
  }
  const whole = { ...result, seconds: secondsGone() };
  agent.destroy();
  agent = new Agent({ keepAlive: true });
  return whole;
}

const say = (message: FromLoad) => process.send?.(message);

process.on("disconnect", () => process.exit(0));
process.on("message", async (round: Round) => say({ kind: "result", ...(await run(round)) }));
say({ kind: "ready", url: (await startProvider()).url });
