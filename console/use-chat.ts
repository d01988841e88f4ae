/** A conversation by streamed calls through the gateway: its turns, how long each took, and how to stop the last one. */
import { useEffect, useRef, useState } from "preact/hooks";
import { readChat } from "./chat-stream.ts";
import type { ChatQuestion, ChatTurn, TurnAnswer, TurnModel } from "./chat-turns.ts";
import { asProblem, type Problem, problemOf } from "./problem.ts";
import { settings } from "./settings.ts";

export interface Chat {
  turns: readonly ChatTurn[];
  isRunning: boolean;
  /** Asks the model with the body that `bodyAfter` gives for the turns so far, and the secret that `key` gives. */
  ask: (
    asked: ChatQuestion,
    model: TurnModel,
    bodyAfter: (turns: readonly ChatTurn[]) => object,
    key: () => Promise<string>,
  ) => Promise<void>;
  stop: () => void;
  /** Forgets all turns. */
  clear: () => void;
}

const begun = { stage: "waiting", text: "", reasoning: "" } as const;

export function useChat(): Chat {
  const [turns, setTurns] = useState<readonly ChatTurn[]>([]);
  const stopping = useRef<AbortController | undefined>(undefined);
  const stop = () => stopping.current?.abort();
  useEffect(() => stop, []);
  const ask: Chat["ask"] = async (asked, model, bodyAfter, key) => {
    stop();
    const control = new AbortController();
    stopping.current = control;
    const change = (next: (answer: TurnAnswer) => TurnAnswer) =>
      setTurns((all) =>
        all.map((turn) => (turn.asked === asked ? { ...turn, answer: next(turn.answer) } : turn)),
      );
    const set = (known: Partial<TurnAnswer>) => change((answer) => ({ ...answer, ...known }));
    setTurns((all) => [...all, { asked, answer: { ...begun, model } }]);
    try {
      const secret = await key();
      const from = performance.now();
      const since = () => performance.now() - from;
      const { request, stream } = await open(bodyAfter(turns), secret, control.signal);
      set({ request });
      await readChat(stream, (piece) =>
        change((answer) => ({
          ...answer,
          stage: "writing",
          text: answer.text + piece.text,
          reasoning: answer.reasoning + piece.reasoning,
          firstMs: answer.firstMs ?? since(),
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
  const clear = () => {
    stop();
    setTurns([]);
  };
  const { stage } = turns.at(-1)?.answer ?? {};
  return { turns, isRunning: stage === "waiting" || stage === "writing", ask, stop, clear };
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
      // One form of a request for all models: what a model calls otherwise is made to fit.
      "x-gateway-adapt": "1",
    },
    body: JSON.stringify({ ...body, stream: true }),
    signal,
  });
  if (!answer.ok || !answer.body) throw await problemOf(answer);
  return { request: answer.headers.get("x-request-id") ?? undefined, stream: answer.body };
}
