/** Whom a gateway of the world reaches: the embedder and the judge, or the provider of the call that is served. */
import type { AsyncLocalStorage } from "node:async_hooks";
import type { OutgoingRequest, Send } from "#shared/base/platform/http-client.ts";
import type { Books } from "./books.ts";
import type { Call } from "./calls.ts";
import { modelIn, turnIfAsked } from "./fallbacks.ts";
import { modelsUrl } from "./meanings.ts";
import { createSend, type Script } from "./provider.ts";
import type { Run, Scheduler } from "./scheduler.ts";
import type { Weather } from "./weather.ts";

interface Around {
  scheduler: Scheduler;
  books: Books;
  /** The call that is served. */
  calling: AsyncLocalStorage<Call>;
  weather: () => Weather;
  /** The gateway's clock, in Unix milliseconds. */
  now: () => number;
}

/** Sends what a gateway asks. A request that belongs to no call is an error of the world. */
export function createGatewaySend(
  { scheduler, books, calling, weather, now }: Around,
  run: Run,
  modelSend: Send,
): Send {
  return (request) => {
    if (request.url.startsWith(modelsUrl)) return modelSend(request);
    const call = calling.getStore();
    if (!call) throw new Error("a call that nobody made");
    const asked = (outgoing: OutgoingRequest): Script => {
      turnIfAsked(call, outgoing);
      Object.assign(call, { asked: call.asked + 1, askedAt: scheduler.now, askedClock: now() });
      books.asked(call);
      return call.script.hangs && call.asked === 1 ? { ...call.script, kind: "silent" } : call.script;
    };
    const told: Parameters<typeof createSend>[4] = (what) => {
      if (what === "usage") call.reportedBy.push(modelIn(request));
      else call.told = what;
    };
    return createSend(scheduler, weather, run, asked, told)(request);
  };
}
