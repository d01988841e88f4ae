/**
 * One video task of the demo provider. Its id holds all of it, and when it was made. So its state follows from the
 * time alone, and a restart forgets no task. Words of the prompt choose its fate.
 */
import { createHash } from "node:crypto";
import type { DemoBody } from "./reply.ts";

const fates = ["fail", "slow", "stuck"] as const;
type TaskFate = (typeof fates)[number] | "usual";

/** How many seconds a task is queued and then runs. */
const paces: Record<TaskFate, { queued: number; running: number }> = {
  usual: { queued: 1, running: 2 },
  fail: { queued: 1, running: 2 },
  slow: { queued: 20, running: 40 },
  stuck: { queued: 1, running: Number.POSITIVE_INFINITY },
};

/** What an id holds. `made` is in milliseconds; `number` tells apart two tasks of the same millisecond. */
export interface DemoTask {
  made: number;
  number: number;
  fate: TaskFate;
  model: string;
  resolution: string;
  ratio: string;
  /** In seconds. Either this or `frames` is null. */
  duration: number | null;
  frames: number | null;
  seed: number;
  draft: boolean;
  audio: boolean;
}

export const framesPerSecond = 24;
/** A duration of -1 lets the model choose; this one always chooses so. */
const secondsOwnChoice = 8;

/** Sizes in pixels, by resolution and ratio, as Seedance has them. */
const sizes: Record<string, Record<string, readonly [width: number, height: number]>> = {
  "480p": {
    "16:9": [864, 480],
    "4:3": [736, 544],
    "1:1": [640, 640],
    "3:4": [544, 736],
    "9:16": [480, 864],
    "21:9": [960, 416],
  },
  "720p": {
    "16:9": [1248, 704],
    "4:3": [1120, 832],
    "1:1": [960, 960],
    "3:4": [832, 1120],
    "9:16": [704, 1248],
    "21:9": [1504, 640],
  },
  "1080p": {
    "16:9": [1920, 1088],
    "4:3": [1664, 1248],
    "1:1": [1440, 1440],
    "3:4": [1248, 1664],
    "9:16": [1088, 1920],
    "21:9": [2176, 928],
  },
};

const ratios = sizes["720p"] ?? {};

/** The task that a request asks for. Missing fields take the vendor's defaults; the seed follows from the prompt. */
export function planTask(
  body: DemoBody,
  model: string,
  prompt: string,
  { made, number }: Pick<DemoTask, "made" | "number">,
): DemoTask {
  const words: string[] = prompt.toLowerCase().match(/\w+/g) ?? [];
  const { resolution, ratio, duration, frames, seed } = body;
  const seconds = typeof duration === "number" ? duration : 5;
  const byFrames = typeof frames === "number";
  return {
    made,
    number,
    fate: fates.find((fate) => words.includes(fate)) ?? "usual",
    model,
    resolution: typeof resolution === "string" && Object.hasOwn(sizes, resolution) ? resolution : "720p",
    ratio: typeof ratio === "string" && Object.hasOwn(ratios, ratio) ? ratio : "16:9",
    duration: byFrames ? null : seconds > 0 ? seconds : secondsOwnChoice,
    frames: byFrames ? frames : null,
    seed: typeof seed === "number" && seed >= 0 ? seed : seedOf(prompt),
    draft: body.draft === true,
    audio: body.generate_audio !== false,
  };
}

function seedOf(prompt: string): number {
  return createHash("sha256").update(prompt).digest().readUInt32BE();
}

export function idOf(task: DemoTask): string {
  return `cgt-${Buffer.from(JSON.stringify(Object.values(task))).toString("base64url")}`;
}

/** The task of an id, or undefined when this provider did not make the id. */
export function taskOf(id: string): DemoTask | undefined {
  try {
    const values = JSON.parse(Buffer.from(id.replace(/^cgt-/, ""), "base64url").toString()) as unknown[];
    const [made, number, fate, model, resolution, ratio, duration, frames, seed, draft, audio] = values;
    if (!Object.hasOwn(paces, String(fate))) return undefined;
    return { made, number, fate, model, resolution, ratio, duration, frames, seed, draft, audio } as DemoTask;
  } catch {
    return undefined;
  }
}

/** A task's status at `now`, and since when, in milliseconds. `scale` is how many seconds one of the task's lasts. */
export function stateAt(task: DemoTask, now: number, scale: number): { status: string; since: number } {
  const { made, fate } = task;
  const { queued, running } = paces[fate];
  const startsAt = made + queued * 1000 * scale;
  const endsAt = startsAt + running * 1000 * scale;
  if (now < startsAt) return { status: "queued", since: made };
  if (now < endsAt) return { status: "running", since: startsAt };
  return { status: fate === "fail" ? "failed" : "succeeded", since: endsAt };
}

function sizeOf({ resolution, ratio }: DemoTask): readonly [width: number, height: number] {
  return sizes[resolution]?.[ratio] ?? [864, 480];
}

export function framesOf({ duration, frames }: DemoTask): number {
  return frames ?? (duration ?? 0) * framesPerSecond;
}

/** The vendor's own formula. */
export function tokensOf(task: DemoTask): number {
  const [width, height] = sizeOf(task);
  return Math.floor((width * height * framesOf(task)) / 1024);
}
