/** Many calls at the same moment, all that are admitted in flight together. */
import type { Upstream } from "./upstream.ts";

/**
 * Sends all calls at once. The provider answers with `reply`, and only when every call that has not reached it
 * has been refused. Gives the statuses in the order of the calls.
 */
export async function rushAtOnce(
  upstream: Upstream,
  { calls, send, reply }: { calls: number; send: (index: number) => Promise<Response>; reply: object },
): Promise<number[]> {
  const waiting: (() => void)[] = [];
  let refused = 0;
  const letGo = () => {
    if (waiting.length + refused === calls) for (const answer of waiting.splice(0)) answer();
  };
  upstream.on((_, response) => {
    waiting.push(() =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply)),
    );
    letGo();
  });
  return await Promise.all(
    Array.from({ length: calls }, async (_, index) => {
      const answer = await send(index);
      await answer.text();
      if (answer.status !== 200) {
        refused += 1;
        letGo();
      }
      return answer.status;
    }),
  );
}
