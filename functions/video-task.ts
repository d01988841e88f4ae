/** The worker of the video workflow. It does one step of one task, and writes what it learns before it answers. */
import middy from "@middy/core";
import { type Next, type Step, work } from "#shared/calls/tasks/poll.ts";
import { workerDeps } from "./deps.ts";

const deps = workerDeps();

export const handler = middy<Step, Next>().handler(async (step: Step) => await work(step, deps));
