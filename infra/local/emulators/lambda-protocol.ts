/** What a function's thread and the main thread say to each other. */
import type { FunctionResource } from "../stack/resources.ts";

export interface HostOptions {
  resource: Pick<FunctionResource, "name" | "directory" | "handler" | "timeoutSeconds" | "memoryMb">;
}

export type ToHost =
  | { kind: "invoke"; id: number; event: unknown }
  | { kind: "listen"; port: number }
  /** Close the port, so that a successor can open it; answered with `released`. */
  | { kind: "release" }
  /** Fail what is still open and end. */
  | { kind: "fail" }
  /** Take no more calls, finish those that run, and end. */
  | { kind: "stop" };

export type FromHost =
  | { kind: "ready" }
  | { kind: "listening"; url: string; port: number }
  | { kind: "listen_failed"; reason: string }
  | { kind: "result"; id: number; result: unknown }
  | { kind: "failure"; id: number; reason: string }
  /** An uncaught error: on AWS the sandbox is lost, and so is this thread. */
  | { kind: "crashed"; reason: string }
  | { kind: "released" };
