/** Whom a call has asked: what its answer, its event and the board are told of that. */
import type { HttpReply } from "../../base/http/message.ts";
import { within } from "../../base/platform/pause.ts";
import type { CallRoute, ToldAttempt } from "../../books/ledger/usage-event.ts";
import type { Board } from "../routing/board.ts";
import { boardBounds } from "../routing/bounds.ts";
import type { Copies } from "../routing/copies.ts";
import { explanation, routeHeader, whyAsked } from "../routing/explain.ts";
import { type Observed, observe } from "../routing/observe.ts";
import type { ChannelOrder } from "../routing/order.ts";
import type { Deps } from "./deps.ts";
import type { RoutedCandidate } from "./route.ts";

/** Whom a call has asked when its answer begins, or when nobody is left. */
export interface RouteTaken {
  /** The provider that was asked last; null where none was. */
  provider: string | null;
  attempts: number;
  /** Undefined where the call failed before it had a route. */
  route: CallRoute | undefined;
  /** What the client is told of the route. */
  routeHeaders: Record<string, string>;
}

/** A call that has asked nobody, and has no route. */
export const noRouteTaken: RouteTaken = { provider: null, attempts: 0, route: undefined, routeHeaders: {} };

/** What is told of the attempts that were made in an order. `isWon`: the last one has won a race. */
export function routeTakenOf(
  order: ChannelOrder<RoutedCandidate>,
  { attempts, isWon }: { attempts: readonly ToldAttempt[]; isWon: boolean },
  { explains }: { explains: boolean },
): RouteTaken {
  const last = attempts.at(-1);
  const told = { via: last?.channel ?? "", attempts: attempts.length, isWon };
  return {
    provider: last?.provider ?? null,
    attempts: attempts.length,
    route: {
      routing: order.routing,
      why: whyAsked(order, told),
      of: order.of,
      attempts: [...attempts],
    },
    routeHeaders: {
      "x-gateway-route": routeHeader(order, told),
      ...(explains && { "x-gateway-explanation": explanation(order) }),
    },
  };
}

/** Takes what a call sees of its channels to the board. */
export interface Notes {
  /** Begins to note an outcome. Nobody waits for the write here. */
  note(observed: Observed): void;
  /** The board of a model as it is now, or a moment ago; undefined where it cannot be read. */
  board(model: string): Promise<Board | undefined>;
  /**
   * Resolves when all is written, cannot be, or takes longer than `boardBounds.notesMs`. Undefined where there is nothing
   * to write. Never rejects.
   */
  written(): Promise<void> | undefined;
}

/** The notes of one call. */
export function createNotes(copies: Copies, deps: Pick<Deps, "boards" | "log" | "now">): Notes {
  const writes: Promise<void>[] = [];
  return {
    note(observed) {
      const write = observe(observed, copies, deps);
      if (write) writes.push(write);
    },
    board: (model) => copies.look(model).ready(boardBounds.waitMs),
    written() {
      // A board that hangs must not keep the place of a call, nor a function until its time is over.
      if (writes.length === 0) return undefined;
      return within(Promise.all(writes).then(nothing), boardBounds.notesMs, undefined);
    },
  };
}

const nothing = (): void => {};

/** Of a call whose failures say nothing of its channels. */
export const noNotes: Notes = { note: () => {}, board: async () => undefined, written: () => undefined };

/** The reply, after which an invocation does not end before its notes are written. */
export function withNotes(reply: HttpReply, notes: Pick<Notes, "written">): HttpReply {
  const after = async (): Promise<void> => {
    try {
      await reply.after?.();
    } finally {
      await notes.written();
    }
  };
  return { ...reply, after };
}
