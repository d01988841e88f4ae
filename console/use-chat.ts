/** One streamed call through the gateway: what has come of it, how long it took, and how to stop it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { readChat } from "./chat-stream.ts";
import { asProblem, type Problem, problemOf } from "./problem.ts";
import { settings } from "./settings.ts";

export interface ChatState {
  /** `waiting` until the first token. */
  stage: "waiting" | "writing" | "done" | "stopped" | "failed";
  text: string;
  reasoning: string;
  /** The gateway's `x-request-id`, as soon as it answers. */
  request?: string;
  /** Milliseconds from the call. */
  firstMs?: number;
  allMs?: number;
  problem?: Problem;
}

interface Chat {
  state: ChatState | undefined;
  isRunning: boolean;
  /** Calls with the secret that `key` gives. */
  start: (body: object, key: () => Promise<string>) => Promise<void>;
  stop: () => void;
}

const begun: ChatState = { stage: "waiting", text: "", reasoning: "" };

export function useChat(): Chat {
  const [state, setState] = useState<ChatState>();
  const stopping = useRef<AbortController | undefined>(undefined);
  const stop = () => stopping.current?.abort();
  useEffect(() => stop, []);
  const start = async (body: object, key: () => Promise<string>) => {
    stop();
    const control = new AbortController();
    stopping.current = control;
    const set = (change: Partial<ChatState>) => setState((before) => ({ ...(before ?? begun), ...change }));
    setState(begun);
    try {
      const secret = await key();
      const from = performance.now();
      const since = () => performance.now() - from;
      const { request, stream } = await open(body, secret, control.signal);
      set({ request });
      await readChat(stream, (piece) =>
        setState((before = begun) => ({
          ...before,
          stage: "writing",
          text: before.text + piece.text,
          reasoning: before.reasoning + piece.reasoning,
          firstMs: before.firstMs ?? since(),
        })),
      );
      set({ stage: "done", allMs: since() });
    } catch (error) {
      const problem = asProblem(error);
      set(
        control.signal.aborted ? { stage: "stopped" } : { stage: "failed", problem, ...requestOf(problem) },
      );
    }
  };
  return { state, isRunning: state?.stage === "waiting" || state?.stage === "writing", start, stop };
}

const requestOf = ({ requestId }: Problem) => (requestId ? { request: requestId } : {});

/** Begins the call. Rejects with a `Problem` where it is refused. */
async function open(
  body: object,
  secret: string,
  signal: AbortSignal,
): Promise<{ request: string | undefined; stream: ReadableStream<Uint8Array> }> {
  const answer = await fetch(`${settings.gateway_url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "x-gateway-on-disconnect": "abort",
    },
    body: JSON.stringify({ ...body, stream: true }),
    signal,
  });
  if (!answer.ok || !answer.body) throw await problemOf(answer);
  return { request: answer.headers.get("x-request-id") ?? undefined, stream: answer.body };
}
