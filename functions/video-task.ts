/** The worker of the video workflow. It does one step of one task, and writes what it learns before it answers. */
import middy from "@middy/core";
import { type Next, type TaskStep, work } from "#shared/calls/tasks/poll.ts";
import { workerDeps } from "./deps.ts";

const deps = workerDeps();

export const handler = middy<TaskStep, Next>().handler(async (step: TaskStep) => await work(step, deps));
