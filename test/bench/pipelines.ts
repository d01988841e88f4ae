/**
 * The gateway without its front, in a process of its own: the pipeline as the function composes it, and twice more with
 * stand-ins. What a stand-in saves is the share of the part that it stands for. The bench bundles this file as the
 * function is bundled, and starts it with the function's environment.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest } from "#shared/base/http/message.ts";
import { awsOptionsFromEnv, createAws } from "#shared/base/platform/aws.ts";
import { required } from "#shared/base/platform/env.ts";
import { newId } from "#shared/base/platform/id.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { cacheEntryKey } from "#shared/edges/store/dynamodb/item-keys.ts";
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

type RequestName = keyof typeof requests;

/** One for each request, because the stand-in of the provider has one answer. */
const answered = (of: typeof deps, isCut: boolean) =>
  Object.fromEntries(
    (Object.keys(requests) as RequestName[]).map((name) => [
      name,
      pipelineOf({ ...of, send: answeringWith(name, isCut) }),
    ]),
  ) as Record<RequestName, Pipeline>;

/** Those that call a provider. */
const real: Partial<Record<PipelineName, Pipeline>> = {
  composed: pipelineOf(deps),
  "without AWS": pipelineOf(withoutAws),
};

/** Those that have a stand-in for it. */
const alone: Partial<Record<PipelineName, Record<RequestName, Pipeline>>> = {
  "without AWS and provider": answered(withoutAws, false),
  "without AWS and provider, answers cut short": answered(withoutAws, true),
  "also without the cache's requests, answers cut short": answered(
    { ...withoutAws, cache: { ...deps.cache, read: async () => undefined } },
    true,
  ),
  "beside an intent, answers cut short": answered(
    { ...withoutAws, meters: { ...withoutAws.meters, intend: deps.meters.intend } },
    true,
  ),
};

const aws = createAws(awsOptionsFromEnv());

/** One read of an item that is not there, joined with no other. */
async function readAlone(): Promise<void> {
  const Key = cacheEntryKey(newId("request", deps.now()), "none");
  await aws("dynamodb", "GetItem", { TableName: required("cacheTable"), Key, ConsistentRead: false });
}

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

/** One call, read to its end. Rejects unless it is answered with 200. */
async function call(serve: Pipeline, round: PipelineRound): Promise<void> {
  const reply = await serve(requestOf(round));
  await readReply(reply);
  if (reply.status !== 200) throw new Error(`a call was answered with ${reply.status}`);
}

/** Microseconds of this process's CPU a call. */
async function play(round: PipelineRound): Promise<number> {
  const { pipeline, request, inFlight, seconds } = round;
  const isAlone = real[pipeline] === undefined;
  const serve = alone[pipeline]?.[request] ?? real[pipeline];
  const act = serve ? () => call(serve, round) : readAlone;
  const endsAt = performance.now() + seconds * 1000;
  let calls = 0;
  const client = async () => {
    while (performance.now() < endsAt) {
      await act();
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
