/** The run of an admitted call: its channels are asked within its time, and what they show is noted on the board. */
import type { HttpReply } from "../../base/http/message.ts";
import type { Copies } from "../routing/copies.ts";
import type { Admitted } from "./admit.ts";
import { answerStream, answerWhole } from "./answer.ts";
import { answerFailure } from "./answer-failure.ts";
import { startDeadline } from "./deadline.ts";
import type { Deps } from "./deps.ts";
import type { AskModel } from "./fallback.ts";
import { forward } from "./forward.ts";
import { askInTurn } from "./load-fallback.ts";
import { route } from "./route.ts";
import { createNotes, withNotes } from "./route-taken.ts";

/** The answer to a call, or the reply that says why it has none. Both are metered. */
export async function runCall(held: Admitted, copies: Copies, deps: Deps): Promise<HttpReply> {
  const deadline = startDeadline(held.request, deps);
  const { signal } = deadline;
  const notes = createNotes(copies, deps);
  const ask: AskModel["ask"] = async (admitted, told = (order) => order) => {
    const order = told(await route(admitted, copies, deps));
    return { admitted, answer: await forward(admitted, { signal, order, notes }, deps) };
  };
  try {
    const { admitted, answer } = await askInTurn(held, { signal, ask }, deps);
    if (answer.kind === "stream") return withNotes(answerStream(admitted, answer, deadline, deps), notes);
    deadline.clear();
    return withNotes(await answerWhole(admitted, answer, deps), notes);
  } catch (error) {
    deadline.clear();
    return withNotes(await answerFailure(held, error, deps), notes);
  }
}
