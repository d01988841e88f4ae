/** A provider of videos in memory, with the vendor's own manners: its DELETE on a finished task deletes the record. */
import type { Video } from "#shared/calls/protocols/ark-video/answers.ts";
import type { Renderer, TaskCreation } from "#shared/calls/tasks/deps.ts";

export const madeVideo: Video = {
  url: "https://videos.example/1.mp4",
  seconds: 5,
  frames: undefined,
  resolution: "720p",
  ratio: "16:9",
};

type State = "queued" | "running" | "succeed" | "failed" | "cancelled";

export interface VideoProvider extends Renderer {
  tasks: Map<string, State>;
  /** The requests of every create, in order. */
  requests: { model: string; body: string; trace?: Record<string, string>; own?: string }[];
  /** The keys of organizations that polls and cancellations came with. */
  askedWith: (string | undefined)[];
  /** What the next creates come to; a created one where it is empty. A task may come into being all the same. */
  answers: TaskCreation[];
  /** Whether it answers reads and cancels at all. */
  silent: boolean;
  refusesCancel: boolean;
  /** Whether a queued task begins the moment it is to be cancelled. */
  begins: boolean;
  /** Whether it has no credential. */
  unreachable: boolean;
  /** Finished records a DELETE has deleted: videos that were lost. */
  lost: string[];
  /** What a finished video is like. */
  video: Video;
}

export function createVideoProvider(): VideoProvider {
  const provider: VideoProvider = {
    tasks: new Map(),
    requests: [],
    askedWith: [],
    answers: [],
    silent: false,
    refusesCancel: false,
    begins: false,
    unreachable: false,
    lost: [],
    video: madeVideo,
    reaches: async () => !provider.unreachable,
    async create({ model, own }, request, { trace }) {
      const body = request.toString();
      provider.requests.push({ model, body, ...(trace && { trace }), ...(own && { own: own.sealed }) });
      const id = `cgt-${provider.requests.length}`;
      const answer = provider.answers.shift() ?? { kind: "created", id };
      if (answer.kind === "created" || answer.kind === "uncertain") provider.tasks.set(id, "queued");
      return answer;
    },
    async read({ id, own }) {
      provider.askedWith.push(own?.sealed);
      const state = provider.silent ? undefined : provider.tasks.get(id);
      if (state === undefined) return { state: "unknown" };
      if (state === "succeed") return { state, video: provider.video };
      return state === "failed" ? { state, code: "OutputVideoSensitive", message: "No." } : { state };
    },
    async cancel({ id, own }) {
      provider.askedWith.push(own?.sealed);
      if (provider.begins) provider.tasks.set(id, "running");
      const state = provider.tasks.get(id);
      if (provider.silent || provider.refusesCancel || state === undefined) return false;
      if (state === "running" || state === "cancelled") return false;
      if (state === "queued") provider.tasks.set(id, "cancelled");
      else {
        provider.tasks.delete(id);
        provider.lost.push(id);
      }
      return true;
    },
  };
  return provider;
}
