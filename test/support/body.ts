/** Readers of an answer's body: one that takes all of it, and one that takes a piece at a time. */
import type { HttpReply } from "#shared/base/http/message.ts";

/** Gives every piece of a body to `take` as it leaves. A promise that `take` gives is waited for. */
export async function readBody(
  { body }: Pick<HttpReply, "body">,
  take: (piece: Buffer) => Promise<void> | undefined,
): Promise<void> {
  if (typeof body === "function") await body({ write: (bytes) => take(Buffer.from(bytes)) });
  else await take(Buffer.from(body as string));
}

/** A client that reads only when it is told to. */
export interface Reader {
  /** The next piece; undefined at the end. Until it is called again, the client takes nothing. */
  next(): Promise<Buffer | undefined>;
  /** The client hangs up: it takes nothing any more, and whoever writes to it need not wait. */
  leave(): void;
}

/** The reader of a reply. Its body begins with the first `next`. */
export function readerOf(reply: Pick<HttpReply, "body">): Reader {
  const asked: ((piece: Buffer | undefined) => void)[] = [];
  let over = false;
  let gone = false;
  let proceed: (() => void) | undefined;
  let begun = false;

  const take = (piece: Buffer): Promise<void> | undefined => {
    if (gone) return undefined;
    asked.shift()?.(piece);
    return asked.length > 0 ? undefined : new Promise((resolve) => (proceed = resolve));
  };
  const end = () => {
    over = true;
    for (const tell of asked.splice(0)) tell(undefined);
  };
  return {
    async next() {
      if (over) return undefined;
      const piece = new Promise<Buffer | undefined>((resolve) => asked.push(resolve));
      proceed?.();
      if (!begun) void readBody(reply, take).then(end);
      begun = true;
      return await piece;
    },
    leave() {
      gone = true;
      proceed?.();
    },
  };
}
