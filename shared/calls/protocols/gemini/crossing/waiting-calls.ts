import type { ToolCallPart } from "../../../chat/request.ts";

/** Calls in their order, with how many of them are known to be answered. */
interface Queue {
  calls: ToolCallPart[];
  next: number;
}

/** The calls that wait for their result. No search begins at the first call, because conversations are long. */
export class WaitingCalls {
  readonly #byId = new Map<string, Queue>();
  readonly #byName = new Map<string, Queue>();
  readonly #answered = new Set<ToolCallPart>();

  add(call: ToolCallPart): void {
    queueOf(this.#byId, call.id).calls.push(call);
    queueOf(this.#byName, call.name).calls.push(call);
  }

  /** The first call with this id or, where a result has none, of this name. It waits no more. */
  take(id: string | undefined, name: string): ToolCallPart | undefined {
    const queue = id === undefined ? this.#byName.get(name) : this.#byId.get(id);
    if (!queue) return undefined;
    for (; queue.next < queue.calls.length; queue.next++) {
      const call = queue.calls[queue.next];
      if (!call || this.#answered.has(call)) continue;
      this.#answered.add(call);
      return call;
    }
    return undefined;
  }
}

function queueOf(queues: Map<string, Queue>, name: string): Queue {
  const known = queues.get(name);
  if (known) return known;
  const queue: Queue = { calls: [], next: 0 };
  queues.set(name, queue);
  return queue;
}
