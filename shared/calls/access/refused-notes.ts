/**
 * What one process notes of the calls that it refuses. A flood must cost little. So of an organization's ten seconds a
 * process sends no more than are kept. Once it knows that they are full, it sends nothing.
 */
import { limits } from "../../base/limits.ts";
import { timeOf } from "../../base/platform/id.ts";
import { refusedBounds } from "./bounds.ts";
import { type RefusedCall, type RefusedCalls, refusedSlot } from "./refused-calls.ts";

export class RefusedNotes {
  readonly #calls: Pick<RefusedCalls, "add">;
  /** By organization: the ten seconds that it was refused in last, and how many of its calls were sent. */
  readonly #sent = new Map<string, { slot: number; count: number }>();

  constructor(calls: Pick<RefusedCalls, "add">) {
    this.#calls = calls;
  }

  /** Keeps a call, if there is room. Never rejects: the log has the refusal too, and a note may be lost. */
  async note(call: RefusedCall): Promise<void> {
    const { organization, request } = call;
    const sent = this.#sentIn(organization, refusedSlot(timeOf(request)));
    if (sent.count >= refusedBounds.callsMax) return;
    sent.count += 1;
    const isKept = await this.#calls.add(call).catch(() => true);
    if (!isKept) sent.count = refusedBounds.callsMax;
  }

  #sentIn(organization: string, slot: number): { count: number } {
    const known = this.#sent.get(organization);
    if (known?.slot === slot) return known;
    if (this.#sent.size >= limits.refusalMemoryMax) this.#sent.clear();
    const sent = { slot, count: 0 };
    this.#sent.set(organization, sent);
    return sent;
  }
}
