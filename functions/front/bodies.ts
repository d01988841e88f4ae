/** The bodies of requests, from the first byte to the end of their calls (functions/front/README.md "Bodies"). */
import type { IncomingMessage } from "node:http";
import type { HttpReply } from "#shared/base/http/message.ts";
import { limits } from "#shared/base/limits.ts";
import type { Look } from "#shared/calls/gateway/look.ts";
import type { bodyBounds } from "./bounds.ts";
import { type Gathering, gather } from "./gather.ts";
import { createRoom, type Room } from "./room.ts";

/** Why a body is not read. */
export type BodyFault = "too_large" | "needs_key" | "no_room" | "too_slow";

/** A body that is whole; the caller says when its call is over. Or why there is none: the client went away if undefined. */
export type BodyOutcome = { body: Buffer; over: () => void } | BodyFault | HttpReply | undefined;

/** Who sends a body. */
interface Sender {
  /** What its connection's address counts as. */
  address: string;
  /** Whose request it is. Asked once at most. */
  look: () => ReturnType<Look>;
  /** Tells it to send the body, if it waits for that word. */
  invite: () => void;
}

export interface Bodies {
  /** Reads a body whole. */
  read(incoming: IncomingMessage, sender: Sender): BodyOutcome | Promise<BodyOutcome>;
  /** Looks for bodies that are too slow. Called every `bodyCheckMs`. */
  check(): void;
}

type Bounds = Record<keyof typeof bodyBounds, number>;

/** The bodies of one server, within these bounds. */
export function createBodies(bounds: Bounds, { now }: { now: () => number }): Bodies {
  const place: SharedRoom = {
    bounds,
    now,
    strangers: createRoom(bounds.strangersBytesMax),
    known: createRoom(bounds.bodiesBytesMax),
    arriving: new Set(),
  };
  return {
    read(incoming, sender) {
      const { "content-length": declared, "transfer-encoding": encoding } = incoming.headers;
      const length = encoding === undefined ? Number(declared ?? 0) : undefined;
      if (length === 0) return nothing;
      if (length !== undefined && length > limits.bodyBytesMax) return "too_large";
      return new Promise((resolve) => new Arrival({ incoming, sender, length, resolve }, place).begin());
    },
    check() {
      const at = now();
      for (const arrival of place.arriving) arrival.check(at);
    },
  };
}

const ignore = (): void => {};
const nothing: BodyOutcome = { body: Buffer.alloc(0), over: ignore };

/** What all bodies of a server share. */
interface SharedRoom {
  bounds: Bounds;
  now: () => number;
  /** By address. */
  strangers: Room;
  /** By organization. */
  known: Room;
  arriving: Set<Arrival>;
}

interface BodyRequest {
  incoming: IncomingMessage;
  sender: Sender;
  /** As declared, in bytes. */
  length: number | undefined;
  resolve: (outcome: BodyOutcome) => void;
}

/** One body on its way. */
class Arrival {
  readonly #asked: BodyRequest;
  readonly #place: SharedRoom;
  readonly #body: Gathering;
  #bytes = 0;
  /** Those of them that take room. */
  #held = 0;
  /** Whose room it takes: an address of the strangers, and then an organization. */
  #owner: string;
  #isKnown = false;
  #isLooking = false;
  #isOpen = false;
  /** The instant from which its rate is looked at, Unix ms, and what was here then. */
  #mark: { at: number; bytes: number };

  constructor(asked: BodyRequest, place: SharedRoom) {
    this.#asked = asked;
    this.#place = place;
    this.#body = gather(asked.length);
    this.#owner = asked.sender.address;
    this.#mark = { at: place.now(), bytes: 0 };
  }

  begin(): void {
    const { incoming, length } = this.#asked;
    const { strangerBodyBytesMax } = this.#place.bounds;
    this.#place.arriving.add(this);
    incoming.on("close", this.#onClose);
    if (length !== undefined && length > strangerBodyBytesMax) void this.#identify("needs_key");
    else this.#open();
  }

  /** Ends it, or asks whose it is, if it is too slow at `at` (Unix ms). */
  check(at: number): void {
    if (this.#isLooking) return;
    const { strangerBodyMs, bodyRateMs, bodyRateBytesMin } = this.#place.bounds;
    const passed = at - this.#mark.at;
    if (!this.#isKnown) {
      if (passed >= strangerBodyMs) void this.#identify("too_slow");
      return;
    }
    if (passed < bodyRateMs) return;
    if (this.#bytes - this.#mark.bytes < bodyRateBytesMin) this.#end("too_slow");
    else this.#mark = { at, bytes: this.#bytes };
  }

  /** Begins to read. */
  #open(): void {
    const { incoming, sender } = this.#asked;
    this.#isOpen = true;
    sender.invite();
    incoming.on("data", this.#onData).on("end", this.#onEnd);
  }

  readonly #onData = (piece: Buffer): void => {
    const { bounds, strangers } = this.#place;
    const bytes = this.#bytes + piece.length;
    if (bytes > limits.bodyBytesMax) return void this.#end("too_large");
    if (this.#isKnown) return void this.#keep(piece);
    // What is whole at once takes nobody's room. Its call is one of those that are counted.
    if (piece.length === this.#asked.length) return void this.#add(piece);
    if (bytes > bounds.strangerBodyBytesMax) return void this.#identify("needs_key", piece);
    if (!strangers.take(this.#owner, piece.length)) return void this.#identify("no_room", piece);
    this.#held += piece.length;
    this.#add(piece);
  };

  readonly #onEnd = (): void => {
    const [owner, held] = [this.#owner, this.#held];
    const { known } = this.#place;
    const over = this.#isKnown ? () => known.give(owner, held) : ignore;
    // A stranger's body is small, and there are never more calls than are counted (calls/gateway/calls-in-flight.ts).
    if (this.#isKnown) this.#held = 0;
    this.#end({ body: this.#body.whole(), over });
  };

  readonly #onClose = (): void => this.#end(undefined);

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#body.add(piece);
  }

  /** Keeps a piece of an organization's body. */
  #keep(piece: Buffer): void {
    if (!this.#take(piece.length)) return void this.#end("no_room");
    this.#held += piece.length;
    this.#add(piece);
  }

  /** Takes room. Where there is none, the organization that has most loses its largest body that is still arriving. */
  #take(bytes: number): boolean {
    const { known, arriving } = this.#place;
    while (!known.take(this.#owner, bytes)) {
      const own = known.of(this.#owner) + bytes;
      const larger = [...arriving].filter((each) => each.#isKnown && known.of(each.#owner) > own);
      const [most] = larger.sort(
        (one, other) => known.of(other.#owner) - known.of(one.#owner) || other.#held - one.#held,
      );
      if (!most || most.#held === 0) return false;
      most.#end("no_room");
    }
    return true;
  }

  /** Asks whose body this is, while nothing more is read of it. `why` is what a stranger is told who stays one. */
  async #identify(why: BodyFault, piece?: Buffer): Promise<void> {
    const { incoming, sender } = this.#asked;
    this.#isLooking = true;
    if (this.#isOpen) incoming.pause();
    const found = await sender.look();
    this.#isLooking = false;
    if (!this.#place.arriving.has(this)) return;
    if (typeof found !== "string") return void this.#end(found ?? why);
    this.#place.strangers.give(this.#owner, this.#held);
    this.#held = 0;
    this.#owner = found;
    this.#isKnown = true;
    this.#mark = { at: this.#place.now(), bytes: this.#bytes };
    if (!this.#take(this.#bytes)) return void this.#end("no_room");
    this.#held = this.#bytes;
    if (piece) this.#keep(piece);
    if (!this.#place.arriving.has(this)) return;
    if (this.#isOpen) incoming.resume();
    else this.#open();
  }

  /** Only the first call counts. */
  #end(outcome: BodyOutcome): void {
    const { incoming, resolve } = this.#asked;
    const { arriving, known, strangers } = this.#place;
    if (!arriving.delete(this)) return;
    incoming.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose);
    (this.#isKnown ? known : strangers).give(this.#owner, this.#held);
    this.#held = 0;
    resolve(outcome);
  }
}
