/** Measures what a call costs, by figures that are the same from run to run: no times. */
import { fork } from "node:child_process";
import { on } from "node:events";
import { Agent, request } from "node:http";
import { requests } from "../provider.ts";
import type { Figures } from "./figures.ts";
import type { Question, Ready, Told } from "./gateway.ts";

/** The code is interpreted: when V8 compiles it differs from run to run, and compiled code allocates less. */
const flags = ["--no-opt", "--no-maglev", "--min-semi-space-size=64", "--max-semi-space-size=64"];

interface Measured {
  body: string;
  /** Calls that fill caches, then calls that are counted, for the heap and again for the rest. */
  calls: [first: number, counted: number];
}

const anthropic = { model: "anthropic/claude-sonnet-5-5" };
const crossed = (body: string) => JSON.stringify({ ...(JSON.parse(body) as object), ...anthropic });

/** All are OpenAI's chat; the crossed ones go to Anthropic. */
const measured: Record<string, Measured> = {
  "JSON of 1 KB": { body: requests.whole, calls: [40, 40] },
  "stream of 100 chunks": { body: requests.stream, calls: [40, 40] },
  "JSON of 1 KB, crossed": { body: crossed(requests.whole), calls: [40, 40] },
  "stream of 100 chunks, crossed": { body: crossed(requests.stream), calls: [40, 40] },
  "body of 1 MB": { body: requests.large, calls: [10, 20] },
};

/** Starts a gateway and plays all calls on it. Gives the figures of one call each, rounded. Rejects when a call fails. */
export async function measureCalls(): Promise<Figures> {
  const child = fork(new URL("gateway.ts", import.meta.url), {
    execArgv: flags,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    const inbox = on(child, "message", { close: ["exit"] });
    const hear = async (): Promise<unknown> => {
      const { done, value } = await inbox.next();
      if (done) throw new Error("the counted gateway has ended");
      return value[0];
    };
    const ready = (await hear()) as Ready;
    const ask = async (question: Question) => {
      child.send(question);
      return (await hear()) as Told;
    };
    const figures: Figures = {};
    for (const [name, { body, calls }] of Object.entries(measured)) {
      figures[name] = await measureOne(ready, body, calls, ask);
    }
    return figures;
  } finally {
    child.kill();
  }
}

async function measureOne(
  ready: Ready,
  body: string,
  [first, counted]: Measured["calls"],
  ask: (question: Question) => Promise<Told>,
): Promise<Record<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const play = async (calls: number) => {
    for (let done = 0; done < calls; done++) await callOnce(ready, body, agent);
  };
  await play(first);
  const told: Told = {};
  for (const question of ["count the heap", "count the rest"] as const) {
    await ask(question);
    await play(counted);
    Object.assign(told, await ask("tell"));
  }
  agent.destroy();
  return Object.fromEntries(Object.entries(told).map(([figure, sum]) => [figure, Math.round(sum / counted)]));
}

/** One call, read to its end. Rejects unless it is answered with 200. */
function callOnce({ url, key }: Ready, body: string, agent: Agent): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": body.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }, (reply) => {
      reply.once("error", reject);
      reply.once("end", () => {
        if (reply.statusCode === 200) resolve();
        else reject(new Error(`a call was answered with ${reply.statusCode}`));
      });
      reply.resume();
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
