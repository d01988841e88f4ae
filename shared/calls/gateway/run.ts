/** The run of an admitted call: its channels are asked within its time, and what they show is noted on the board. */
import type { HttpReply } from "../../base/http/message.ts";
import type { Copies } from "../routing/copies.ts";
import type { Admitted } from "./admit.ts";
import { answerStream, answerWhole } from "./answer.ts";
import { answerFailure } from "./answer-failure.ts";
import { createNotes, withNotes } from "./asked.ts";
import { startDeadline } from "./deadline.ts";
import type { Deps } from "./deps.ts";
import { askInTurn } from "./fallback.ts";
import type { Asking } from "./fallback-call.ts";
import { forward } from "./forward.ts";
import { route } from "./route.ts";

/** The answer to a call, or the reply that says why it has none. Both are metered. */
export async function runCall(held: Admitted, copies: Copies, deps: Deps): Promise<HttpReply> {
  const deadline = startDeadline(held.request, deps);
  const { signal } = deadline;
  const notes = createNotes(copies, deps);
  const ask: Asking["ask"] = async (admitted, told = (order) => order) => {
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
