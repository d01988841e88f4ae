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

const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];

/** Sizes in pixels by resolution, for these ratios in their order, as Seedance has them. */
const sizes: Record<string, string> = {
  "480p": "864x480 736x544 640x640 544x736 480x864 960x416",
  "720p": "1248x704 1120x832 960x960 832x1120 704x1248 1504x640",
  "1080p": "1920x1088 1664x1248 1440x1440 1248x1664 1088x1920 2176x928",
};

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
    ratio: typeof ratio === "string" && ratios.includes(ratio) ? ratio : "16:9",
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

function pixelsOf({ resolution, ratio }: DemoTask): number {
  const size = sizes[resolution]?.split(" ")[ratios.indexOf(ratio)] ?? "864x480";
  return size.split("x").reduce((product, side) => product * Number(side), 1);
}

export function framesOf({ duration, frames }: DemoTask): number {
  return frames ?? (duration ?? 0) * framesPerSecond;
}

/** The vendor's own formula. */
export function tokensOf(task: DemoTask): number {
  return Math.floor((pixelsOf(task) * framesOf(task)) / 1024);
}
