/** Two video models over a provider of their own, and the lifecycle of their tasks as a test drives it. */

import type { HttpReply, HttpRequest } from "#shared/base/http/message.ts";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization, Permission, Principal } from "#shared/books/accounts/account.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { CallMeters } from "#shared/books/meters/meter.ts";
import { Refusals } from "#shared/calls/access/refusals.ts";
import { admitTask, createTask } from "#shared/calls/tasks/create.ts";
import type { TaskDeps, TaskLifetime } from "#shared/calls/tasks/deps.ts";
import type { Tasks } from "#shared/calls/tasks/task.ts";
import { testCatalog } from "./memory.ts";
import { MemoryBoards } from "./memory-boards.ts";
import { createMemoryRushes } from "./memory-rushes.ts";
import { noon } from "./store.ts";
import { createVideoProvider, type VideoProvider } from "./video-provider.ts";

/** Where nobody listens. */
const nowhere = "http://127.0.0.1:9";

/** The catalog with `test/video-1`, and `test/video-2` that needs AVG_V2; 0.045, 0.09 and 0.18 points a second. */
export function withVideo(catalog: unknown, url: string): unknown {
  const { providers, models, ...rest } = catalog as { providers: object; models: object[] };
  const ark = { protocols: { ark: `${url}/ark` }, auth: "bearer", secret: "TEST_API_KEY" };
  return {
    ...rest,
    providers: { ...providers, ark },
    models: [
      ...models,
      video("test/video-1", null, { frames: true, draft: true }),
      video("test/video-2", "AVG_V2", { max_seconds: 15, resolutions: ["480p", "720p"], audio: false }),
    ],
  };
}

function video(id: string, permission: string | null, options: object): object {
  return {
    id,
    display_name: id,
    created: 1_760_000_000,
    owned_by: "test",
    capabilities: ["video"],
    context_tokens: 0,
    output_tokens: 0,
    price: {
      mode: "per_second",
      by_resolution: { "480p": "0.05", "720p": "0.1", "1080p": "0.2" },
      rates: { service_tier: { flex: "0.5" }, tools: { web_search: "0.01" } },
    },
    discount_rate: "0.9",
    permission,
    video: {
      resolutions: ["480p", "720p", "1080p"],
      default_resolution: "720p",
      max_seconds: 12,
      frames: false,
      draft: false,
      audio: true,
      ...options,
    },
    channels: [{ provider: "ark", model: "upstream-video" }],
  };
}

/** The lifecycle over the given store, with a clock of its own that sleeping moves. */
export interface VideoScenario {
  deps: TaskDeps & TaskLifetime;
  boards: MemoryBoards;
  provider: VideoProvider;
  /** Executions that were started, by name; `running` says of each whether it still runs. */
  executions: Map<string, boolean>;
  clock: { now: number };
  logs: string[];
}

/** Nothing changes it, and it takes longer to read than most scenarios take to end. */
const catalog = createCatalog(parseCatalog(withVideo(testCatalog(nowhere), nowhere)));

export function createVideoScenario(tasks: Tasks, meters: CallMeters): VideoScenario {
  const provider = createVideoProvider();
  const boards = new MemoryBoards();
  const executions = new Map<string, boolean>();
  const clock = { now: noon };
  const logs: string[] = [];
  const deps: VideoScenario["deps"] = {
    tasks,
    meters,
    provider,
    boards,
    catalog,
    refusals: new Refusals(),
    rushes: createMemoryRushes().rushes,
    workflow: {
      async start(_, name) {
        if (!executions.has(name)) executions.set(name, true);
        return executions.get(name) === true;
      },
      async stop(name) {
        executions.set(name, false);
      },
    },
    log: (_level, event) => void logs.push(event),
    now: () => clock.now,
    lifetimeSeconds: limits.taskLifetimeSeconds,
    sleep: async (milliseconds) => {
      clock.now += milliseconds;
    },
  };
  return { deps, boards, provider, executions, clock, logs };
}

/** A caller with a wallet, or with a subscription. */
export function videoCaller(
  change: { wallet?: string; subscription?: string; project?: string; permissions?: Permission[] } = {},
): Principal {
  const { wallet, subscription, project = "", permissions = [] } = change;
  const organization: Organization = {
    id: "org_1",
    name: "Test",
    status: "active",
    wallet: wallet ? { meter: wallet, shards: 1 } : null,
    subscription: subscription
      ? { meter: subscription, plan: "free", period: "monthly", started_at: noon - 1000, ends_at: null }
      : null,
    permissions,
    created_at: noon,
  };
  const key: KeyRecord = {
    id: newId("key", noon),
    hash: "",
    organization: "org_1",
    project,
    name: "test",
    mode: subscription ? "subscription" : "payg",
    permissions,
    limits: null,
    status: "active",
    last_four: "",
    created_at: noon,
    expires_at: null,
  };
  return { key, organization };
}

export const videoBody = { model: "test/video-1", content: [{ type: "text", text: "A cat in the rain." }] };

/** A request for a video made now. */
export function videoRequest({ clock }: VideoScenario, body: object = videoBody): HttpRequest {
  return {
    id: newId("request", clock.now),
    method: "POST",
    path: "",
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
    received_at: clock.now,
    deadline_at: clock.now + 60_000,
  };
}

/** Admits a task and creates it, as the route does. */
export async function createVideo(
  deps: TaskDeps,
  request: HttpRequest,
  caller: Principal,
): Promise<HttpReply> {
  return await createTask(await admitTask(request, { caller }, deps), deps);
}

/** Creates a task as the route does, and gives its id. */
export async function orderVideo(scenario: VideoScenario, caller: Principal, body?: object): Promise<string> {
  const reply = await createVideo(scenario.deps, videoRequest(scenario, body), caller);
  return (JSON.parse(reply.body as string) as { id: string }).id;
}
