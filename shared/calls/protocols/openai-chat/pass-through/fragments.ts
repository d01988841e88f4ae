/** Tool calls put together from the fragments of a stream (protocols.md §1.3). */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import type { ChatEvent } from "../../../chat/event.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import { callId } from "../crossing/reply.ts";
import { argumentsOf, signatureOf } from "../crossing/tools.ts";

interface Call {
  /** Its number in the stream. */
  index: number;
  /** The provider's own index, where it gives one. */
  slot: unknown;
  /** The provider's own id, empty where it gives none. */
  id: string;
  signature: string | undefined;
  /** Arguments that came before the name. */
  waiting: string;
  state: "unnamed" | "open" | "ended";
}

export interface CallFragments {
  /** Events of one fragment. Throws `TypeError` on arguments of a call that has ended. */
  push(fragment: Fields): ChatEvent[];
  /** Ends every open call: a finish reason or words follow. Throws `TypeError` on a call without a name. */
  end(): ChatEvent[];
  any(): boolean;
}

/** The calls of one stream. `reply` is its id, from which calls without an id take theirs. */
export function createCallFragments(reply: string): CallFragments {
  const calls: Call[] = [];
  const open = (slot: unknown): Call => {
    const call: Call = {
      index: calls.length,
      slot,
      id: "",
      signature: undefined,
      waiting: "",
      state: "unnamed",
    };
    calls.push(call);
    return call;
  };
  return {
    push(fragment) {
      const named = isObject(fragment.function) ? fragment.function : {};
      const name = typeof named.name === "string" ? named.name : "";
      const id = typeof fragment.id === "string" ? fragment.id : "";
      const call = runningCall(calls, fragment.index, id, name) ?? open(fragment.index);
      const piece = call.waiting + argumentsOf(named);
      call.waiting = "";
      call.id ||= id;
      call.signature ??= signatureOf(fragment);
      const events: ChatEvent[] = [];
      if (call.state === "unnamed" && name === "") {
        call.waiting = piece;
        return events;
      }
      if (call.state === "unnamed") {
        call.state = "open";
        const { index, signature } = call;
        const told = call.id || callId(reply, index);
        events.push(omitUndefined({ type: "tool-call-start" as const, index, id: told, name, signature }));
      }
      if (piece === "") return events;
      if (call.state === "ended") throw new TypeError("arguments of a tool call that had ended");
      events.push({ type: "tool-call-delta", index: call.index, arguments: piece });
      return events;
    },
    end() {
      const ending = calls.filter(({ state }) => state !== "ended");
      if (ending.some(({ state }) => state === "unnamed")) throw new TypeError("a tool call without a name");
      for (const call of ending) call.state = "ended";
      return ending.map(({ index }) => ({ type: "tool-call-end", index }));
    },
    any: () => calls.length > 0,
  };
}

/** The call that a fragment continues. Where indexes are alike, another id begins one (protocols.md pitfall 8). */
function runningCall(calls: readonly Call[], slot: unknown, id: string, name: string): Call | undefined {
  if (typeof slot !== "number") {
    if (id !== "") return calls.find((call) => call.id === id);
    return name === "" ? calls.at(-1) : undefined;
  }
  const last = calls.findLast((call) => call.slot === slot);
  return last && (id === "" || last.id === "" || last.id === id) ? last : undefined;
}
