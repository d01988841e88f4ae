/** The worker of video tasks: one submission or one look at the provider, as the workflow asks. */
import middy from "@middy/core";

interface VideoTaskEvent {
  action: "submit" | "poll";
  task: string;
  organization: string;
  polls: number;
}

export const handler = middy<VideoTaskEvent>().handler(async ({ action, polls }: VideoTaskEvent) => ({
  done: action === "poll",
  wait_seconds: 2,
  polls: action === "poll" ? polls + 1 : 0,
}));
