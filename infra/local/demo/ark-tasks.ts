/** The demo provider's video tasks as Volcengine Ark has them: create, get, list and delete (protocols.md §4.4). */
import { type DemoBody, textOf } from "./reply.ts";
import { sampleVideo } from "./sample-video.ts";
import {
  type DemoTask,
  framesOf,
  framesPerSecond,
  idOf,
  planTask,
  stateAt,
  taskOf,
  tokensOf,
} from "./video-task.ts";

interface DemoVideoRequest {
  method: string;
  /** Behind the base URL of the protocol. */
  path: string;
  query: URLSearchParams;
  /** Undefined if it was not a JSON object. */
  body: DemoBody | undefined;
  /** The base URL of the protocol as the client knows it. */
  base: string;
}

interface VideoAnswer {
  status: number;
  /** JSON, or a video. */
  body: object | Buffer;
}

const tasksPath = "/contents/generations/tasks";
/** How many tasks of this run can be listed, and how many are remembered as cancelled or deleted. */
const rememberedMax = 10_000;

/** The tasks of one run. `scale` is how many seconds one of theirs lasts; `now` gives milliseconds. */
export class VideoTasks {
  readonly #scale: number;
  readonly #now: () => number;
  #count = 0;
  readonly #made = new Set<string>();
  readonly #cancelled = new Set<string>();
  readonly #deleted = new Set<string>();

  constructor(scale: number, now: () => number = Date.now) {
    this.#scale = scale;
    this.#now = now;
  }

  /** Answers requests for tasks and their videos; undefined for every other path. */
  answer(request: DemoVideoRequest): VideoAnswer | undefined {
    const { method, path } = request;
    if (path === tasksPath) {
      if (method === "POST") return this.#create(request.body);
      return method === "GET" ? this.#list(request) : refuse(405, "MethodNotAllowed", method);
    }
    const [, id = "", isVideo] =
      /^\/(?:contents\/generations\/tasks\/([\w-]+)|videos\/([\w-]+)\.mp4)$/.exec(path) ?? [];
    if (isVideo) return this.#video(isVideo);
    if (id === "") return undefined;
    const task = this.#find(id);
    if (!task) return refuse(404, "ResourceNotFound", `the task ${id} does not exist`);
    if (method === "DELETE") return this.#delete(id, task);
    return method === "GET"
      ? json(this.#show(id, task, request.base))
      : refuse(405, "MethodNotAllowed", method);
  }

  #create(body: DemoBody | undefined): VideoAnswer {
    const { model, content } = body ?? {};
    if (typeof model !== "string" || model === "")
      return refuse(400, "MissingParameter.model", "model is missing");
    if (!Array.isArray(content) || content.length === 0)
      return refuse(400, "MissingParameter.content", "content is missing");
    const prompt = textOf(content);
    if (/\breject\b/i.test(prompt))
      return refuse(400, "InputTextSensitiveContentDetected", "the prompt asks to be rejected");
    const id = idOf(planTask(body ?? {}, model, prompt, { made: this.#now(), number: this.#count++ }));
    remember(this.#made, id);
    return json({ id });
  }

  #find(id: string): DemoTask | undefined {
    return this.#deleted.has(id) ? undefined : taskOf(id);
  }

  #stateOf(id: string, task: DemoTask): ReturnType<typeof stateAt> {
    if (this.#cancelled.has(id)) return { status: "cancelled", since: task.made };
    return stateAt(task, this.#now(), this.#scale);
  }

  #show(id: string, task: DemoTask, base: string): object {
    const { status, since } = this.#stateOf(id, task);
    const isDone = status === "succeeded";
    const tokens = tokensOf(task);
    return {
      id,
      model: task.model,
      status,
      error:
        status === "failed"
          ? { code: "OutputVideoSensitiveContentDetected", message: "the prompt asks to fail" }
          : null,
      created_at: Math.floor(task.made / 1000),
      updated_at: Math.floor(since / 1000),
      ...(isDone ? { content: { video_url: `${base}/videos/${id}.mp4` } } : {}),
      ...(isDone ? { usage: { completion_tokens: tokens, total_tokens: tokens } } : {}),
      seed: task.seed,
      resolution: task.resolution,
      ratio: task.ratio,
      ...(task.frames === null ? { duration: task.duration } : { frames: task.frames }),
      framespersecond: framesPerSecond,
      generate_audio: task.audio,
      draft: task.draft,
      service_tier: "default",
      execution_expires_after: 172_800,
    };
  }

  #list({ query, base }: DemoVideoRequest): VideoAnswer {
    const ids = query.getAll("filter.task_ids");
    const [status, model] = [query.get("filter.status"), query.get("filter.model")];
    const found = [...this.#made].reverse().flatMap((id) => {
      const task = this.#find(id);
      if (!task || (ids.length > 0 && !ids.includes(id)) || (model && task.model !== model)) return [];
      return status && this.#stateOf(id, task).status !== status ? [] : [this.#show(id, task, base)];
    });
    const size = Number(query.get("page_size") ?? 10);
    const first = (Number(query.get("page_num") ?? 1) - 1) * size;
    return json({ items: found.slice(first, first + size), total: found.length });
  }

  /** Cancels a queued task and deletes one that has ended, as the vendor does. */
  #delete(id: string, task: DemoTask): VideoAnswer {
    const { status } = this.#stateOf(id, task);
    if (status === "running" || status === "cancelled")
      return refuse(409, "InvalidAction", `a task that is ${status} cannot be deleted`);
    remember(status === "queued" ? this.#cancelled : this.#deleted, id);
    return json({});
  }

  #video(id: string): VideoAnswer {
    const task = this.#find(id);
    if (!task || this.#stateOf(id, task).status !== "succeeded")
      return refuse(404, "ResourceNotFound", `the video ${id} does not exist`);
    return { status: 200, body: sampleVideo(framesOf(task)) };
  }
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > rememberedMax && oldest !== undefined) ids.delete(oldest);
}

const json = (body: object): VideoAnswer => ({ status: 200, body });

const types: Record<number, string> = {
  400: "BadRequest",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
};

function refuse(status: number, code: string, message: string): VideoAnswer {
  return { status, body: { error: { code, message, param: "", type: types[status] } } };
}
