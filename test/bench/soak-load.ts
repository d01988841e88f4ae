/**
 * The other side of the soak in a process of its own: the providers, and clients who call without a pause until their
 * parent ends them.
 */
import { Agent, request } from "node:http";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import { seeded } from "#test/support/random.ts";
import { nextCall, type SoakCall } from "./soak-calls.ts";

export interface SoakOrder {
  url: string;
  key: string;
  clients: number;
  seed: number;
}

/**
 * The number of answers by status. A status of 500 or more stands with the path, or says that no provider could serve
 * the call. `cut` counts those where the client went away, `broken` those where the connection broke.
 */
export type Answers = Record<string, number>;

export type FromSoakLoad = { kind: "ready"; url: string } | { kind: "answers"; answers: Answers };

/** Nobody wants to wait for words and videos of the demo provider. */
const streamScale = 0.02;
const taskScale = 0.01;

/** A client that got no answer waits before it tries again. */
const breathMs = 100;

const agent = new Agent({ keepAlive: true });
const answers: Answers = {};

/** Makes a call and gives what became of it. Never rejects. */
function play(url: string, { method, path, headers, body, isCut, isUnserved }: SoakCall): Promise<string> {
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const options = { method, agent, headers: { ...headers, ...length } };
    const sent = request(`${url}${path}`, options, (reply) => {
      reply.once("error", () => resolve("broken"));
      const status = String(reply.statusCode);
      const failed = isUnserved ? `${status} unserved` : `${status} ${method} ${path}`;
      reply.once("end", () => resolve(status < "500" ? status : failed));
      if (!isCut) {
        reply.resume();
        return;
      }
      reply.once("data", () => {
        resolve("cut");
        sent.destroy();
      });
    });
    sent.once("error", () => resolve("broken"));
    sent.end(body);
  });
}

async function call({ url, key, clients, seed }: SoakOrder): Promise<void> {
  const client = async (index: number) => {
    const draw = seeded(seed + index);
    const chance = () => draw(2 ** 30) / 2 ** 30;
    for (;;) {
      const end = await play(url, nextCall(key, chance));
      answers[end] = (answers[end] ?? 0) + 1;
      if (end === "broken") await new Promise((resolve) => setTimeout(resolve, breathMs));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
}

const say = (message: FromSoakLoad) => process.send?.(message);

process.on("disconnect", () => process.exit(0));
process.on("message", (order: SoakOrder | "count") => {
  if (order === "count") say({ kind: "answers", answers });
  else void call(order);
});
const { url } = await startDemoProvider({ streamScale, taskScale });
say({ kind: "ready", url });
