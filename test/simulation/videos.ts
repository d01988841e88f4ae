/** A provider of videos, and the clients that order and cancel them. */
import { newId, taskOf } from "#shared/base/platform/id.ts";
import type { OwnKey } from "#shared/books/accounts/own-key.ts";
import type { Renderer, TaskCreation } from "#shared/calls/tasks/deps.ts";
import { madeVideo } from "#test/support/video-provider.ts";
import type { Random } from "./random.ts";
import type { Run, Scheduler } from "./scheduler.ts";
import { tagHeader } from "./tags.ts";
import type { Weather } from "./weather.ts";
import type { Key, World } from "./world.ts";

/** A task as its client and its provider know it. */
export interface Video {
  id: string;
  key: Key;
  /** How the provider takes it: every time, never surely, not at first, or not at all. */
  taken: "created" | "uncertain" | "nothing first" | "refused";
  /** What comes of it, and when after it was taken. */
  end: "succeed" | "failed" | "never";
  rendersMs: number;
  /** Times that it was sent, and that it came into being. */
  sent: number;
  made: number;
  state: "queued" | "running" | "succeed" | "failed" | "cancelled" | "deleted" | undefined;
  /** What the client was answered. */
  created: boolean | undefined;
  cancelled: boolean;
  /** The organizations' own keys that it was sent, asked for or cancelled with; `ours` for one of ours. */
  keysUsed: Set<string>;
}

const path = "/api/v3/contents/generations/tasks";

/** Plans videos of clients with these keys, who may want them no more, within so many milliseconds. */
export function planVideos(
  world: World,
  keys: readonly Key[],
  { within, random }: { within: number; random: Random },
): void {
  const { scheduler } = world;
  for (let left = random.between(1, 2); left > 0; left--) {
    const key = random.pick(keys);
    const fate = {
      taken: random.pick(["created", "created", "created", "uncertain", "nothing first", "refused"] as const),
      end: random.pick(["succeed", "succeed", "failed", "never"] as const),
      rendersMs: random.pick([1_000, 30_000, 400_000]),
    };
    const cancels = random.pick([0, 0, 1, 2]);
    scheduler.after(random.between(0, within), null, () => {
      const video = orderVideo(world, key, fate);
      for (let n = 0; n < cancels; n++)
        scheduler.after(random.between(0, random.pick([2_000, 60_000])), null, () =>
          cancelVideo(world, video),
        );
    });
  }
}

/** A client orders a video. Gives what it will be known by. */
function orderVideo(world: World, key: Key, fate: Pick<Video, "taken" | "end" | "rendersMs">): Video {
  const gateway = world.gateway();
  const id = newId("request", gateway.now());
  const video: Video = {
    id: taskOf(id),
    key,
    ...fate,
    sent: 0,
    made: 0,
    state: undefined,
    created: undefined,
    cancelled: false,
    keysUsed: new Set(),
  };
  world.videos.set(video.id, video);
  const body = { model: "test/video-1", duration: 5, content: [{ type: "text", text: video.id }] };
  world.scheduler.note(gateway.run, `is asked for ${video.id}: ${JSON.stringify(fate)}`);
  ask(world, gateway, { id, key, method: "POST", path, body }, (status) => {
    // A failure of ours says nothing: the task may be there, and then runs.
    if (status < 500) video.created = status === 200;
  });
  return video;
}

/** Its client wants it no more. */
function cancelVideo(world: World, { id, key }: Video): void {
  const gateway = world.gateway();
  const request = { id: newId("request", gateway.now()), key, method: "DELETE", path: `${path}/${id}` };
  ask(world, gateway, request, (status) => {
    const video = world.videos.get(id);
    if (video && status === 200) video.cancelled = true;
  });
}

function ask(
  world: World,
  gateway: ReturnType<World["gateway"]>,
  { id, key, method, path, body }: { id: string; key: Key; method: string; path: string; body?: object },
  answered: (status: number) => void,
): void {
  const now = gateway.now();
  const timeMs = 60_000;
  const request = {
    id,
    method,
    path,
    query: new URLSearchParams(),
    headers: { authorization: `Bearer ${key.secret}`, ...tagHeader(id) },
    body: Buffer.from(body ? JSON.stringify(body) : ""),
    received_at: now,
    deadline_at: now + timeMs,
  };
  const act = async () => {
    const reply = await gateway.serve(request);
    const { effects } = world.cloud.weather;
    await world.scheduler.effect(gateway.run, `answers ${reply.status} on ${method} ${path}`, effects, () =>
      answered(reply.status),
    );
    await reply.after?.();
  };
  world.serving(gateway, act, { timeMs, hardEnd: true });
}

/** The provider as a run reaches it. Like the product's own port it never rejects. */
export function createVideoProvider(
  scheduler: Scheduler,
  weather: () => Weather,
  run: Run,
  videos: Map<string, Video>,
): Renderer {
  const reach = <Value>(label: string, act: () => Value, lost: Value): Promise<Value> => {
    const { random } = scheduler;
    const gone = random.chance(weather().requestLost);
    const unheard = random.chance(weather().answerLost);
    const effect = () => (gone ? lost : act());
    return scheduler.effect(run, label, weather().effects, effect).then((value) => (unheard ? lost : value));
  };
  const note = (id: string, own: OwnKey | undefined) => {
    videos.get(id)?.keysUsed.add(own?.sealed ?? "ours");
  };
  return {
    reaches: async () => true,
    create({ own }, request) {
      const id = /VTK-\w{26}/.exec(request.toString())?.[0] ?? "";
      note(id, own);
      const uncertain = { kind: "uncertain", reason: "reset" } as const;
      return reach<TaskCreation>(`creates ${id}`, () => take(scheduler, videos.get(id)), uncertain);
    },
    read({ id, own }) {
      note(id, own);
      return reach(`looks at ${id}`, () => renderingOf(videos.get(id)), { state: "unknown" });
    },
    cancel({ id, own }) {
      note(id, own);
      return reach(`deletes ${id}`, () => withdraw(videos.get(id)), false);
    },
  };
}

function take(scheduler: Scheduler, video: Video | undefined): TaskCreation {
  if (!video) throw new Error("a video that nobody asked for");
  video.sent += 1;
  if (video.taken === "refused") return { kind: "refused", error: { code: "Bad", message: "no" } };
  if (video.taken === "nothing first" && video.sent === 1) return { kind: "nothing", reason: "status 429" };
  video.made += 1;
  video.state = "queued";
  const wait = scheduler.random.between(1, video.rendersMs);
  scheduler.after(wait, null, () => {
    if (video.state !== "queued") return;
    video.state = "running";
    scheduler.after(video.rendersMs, null, () => {
      if (video.end !== "never" && video.state === "running") video.state = video.end;
    });
  });
  return video.taken === "uncertain"
    ? { kind: "uncertain", reason: "status 502" }
    : { kind: "created", id: video.id };
}

function renderingOf(video: Video | undefined): Awaited<ReturnType<Renderer["read"]>> {
  const state = video?.state;
  if (state === undefined || state === "deleted") return { state: "unknown" };
  if (state === "succeed") return { state, video: madeVideo };
  return state === "failed" ? { state, code: "OutputVideoSensitive", message: "No." } : { state };
}

/** The vendor's own manners: what runs goes on, and what has ended is deleted. */
function withdraw(video: Video | undefined): boolean {
  const state = video?.state;
  if (!video || state === undefined || state === "running" || state === "cancelled") return false;
  video.state = state === "queued" ? "cancelled" : "deleted";
  return true;
}
