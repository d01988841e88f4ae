/**
 * The gateway without its front, in a process of its own: the pipeline as the function composes it, and twice more with
 * stand-ins. What a stand-in saves is the share of the part that it stands for. The bench bundles this file as the
 * function is bundled, and starts it with the function's environment.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "#shared/gateway/deps.ts";
import { createPipeline, type Pipeline } from "#shared/gateway/pipeline.ts";
import type { HttpRequest } from "#shared/http/message.ts";
import { ticketOf } from "#shared/meters/hold.ts";
import { newId } from "#shared/platform/id.ts";
import { gatewayDeps } from "../../functions/deps.ts";
import { localAnswers } from "../../functions/local-answers.ts";
import { answeringWith, readReply } from "./bodies.ts";
import type { PipelineName } from "./pipeline-names.ts";
import { requests } from "./provider.ts";

export interface PipelineRound {
  pipeline: PipelineName;
  key: string;
  request: keyof typeof requests;
  inFlight: number;
  /** How long calls are started. */
  seconds: number;
  /** What its calls wish of the cache. Each asks something new then, also where it wishes nothing. */
  cache?: "exact" | "off";
}

export type FromPipelines = { kind: "ready" } | { kind: "played"; cpuMicroseconds: number };

/** As a function's own timeout would leave it. */
const deadlineMs = 60_000;

const deps = gatewayDeps();
const withoutAws: typeof deps = {
  ...deps,
  meters: {
    ...deps.meters,
    admit: async (hold) => ({ admitted: true, limitStatus: {}, ticket: ticketOf(hold) }),
    intend: async () => {},
    settle: async () => true,
  },
  queue: { send: async () => {} },
};

const pipelineOf = (deps: Deps & Parameters<typeof localAnswers>[0]) =>
  createPipeline(localAnswers(deps), deps);

const real: Partial<Record<PipelineName, Pipeline>> = {
  composed: pipelineOf(deps),
  "without AWS": pipelineOf(withoutAws),
};

/** One for each request, because the stand-in of the provider has one answer. */
const aloneWith = (cache: Deps["cache"]) =>
  Object.fromEntries(
    (Object.keys(requests) as (keyof typeof requests)[]).map((name) => [
      name,
      pipelineOf({ ...withoutAws, cache, send: answeringWith(name) }),
    ]),
  ) as Record<keyof typeof requests, Pipeline>;

/** By the name of the pipeline. */
const alone: Partial<Record<PipelineName, Record<keyof typeof requests, Pipeline>>> = {
  "without AWS and provider": aloneWith(deps.cache),
  "also without recording": aloneWith({ ...deps.cache, put: async () => {} }),
};

const bodies = Object.fromEntries(
  Object.entries(requests).map(([name, text]) => [name, Buffer.from(text)]),
) as Record<keyof typeof requests, Buffer>;

function requestOf(round: PipelineRound): HttpRequest {
  const now = deps.now();
  const body = round.cache ? newQuestion(bodies[round.request]) : bodies[round.request];
  return {
    id: newId("request", now),
    method: "POST",
    path: "/v1/chat/completions",
    query: new URLSearchParams(),
    headers: {
      authorization: `Bearer ${round.key}`,
      "content-type": "application/json",
      "content-length": String(body.length),
      ...(round.cache && { "x-gateway-cache": round.cache }),
    },
    body,
    received_at: now,
    deadline_at: now + deadlineMs,
  };
}

let asked = 0;

/** The request with other first words in its text, as long as before. */
function newQuestion(body: Buffer): Buffer {
  const text = body.toString();
  const at = text.indexOf("lorem ipsum");
  return Buffer.from(`${text.slice(0, at)}${String(asked++).padStart(11, "0")}${text.slice(at + 11)}`);
}

/** Microseconds of this process's CPU a call. Rejects unless every call is answered with 200. */
async function play(round: PipelineRound): Promise<number> {
  const { pipeline, request, inFlight, seconds } = round;
  const isAlone = alone[pipeline] !== undefined;
  const serve = alone[pipeline]?.[request] ?? real[pipeline];
  if (!serve) throw new Error(`there is no pipeline ${pipeline}`);
  const endsAt = performance.now() + seconds * 1000;
  let calls = 0;
  const client = async () => {
    while (performance.now() < endsAt) {
      const reply = await serve(requestOf(round));
      await readReply(reply);
      if (reply.status !== 200) throw new Error(`a call was answered with ${reply.status}`);
      calls += 1;
      // Without a network nothing else would ever get its turn.
      if (isAlone) await new Promise(setImmediate);
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, client));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const say = (message: FromPipelines) => process.send?.(message);

process.on("disconnect", () => process.exit(0));
process.on("message", async (round: PipelineRound) => {
  // What an earlier round has left is collected on its own time.
  await sleep(20);
  say({ kind: "played", cpuMicroseconds: await play(round) });
});
say({ kind: "ready" });
