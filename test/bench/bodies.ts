/** Bodies within one process: a reply that is read to its end, and a provider that answers without a network. */
import type { HttpReply } from "#shared/base/http/message.ts";
import type { Send } from "#shared/base/platform/http-client.ts";
import { answerTo, type requests } from "./provider.ts";

/** Takes all bytes of a reply, as a reader without a network would, and then what the gateway does after them. */
export async function readReply({ body, after }: HttpReply): Promise<void> {
  if (typeof body === "function") await body({ write: () => undefined });
  await after?.();
}

/**
 * Answers every request at once, with what the bench's provider says to `request`. `isCut`: whole answers say that they
 * were cut short.
 */
export function answeringWith(request: keyof typeof requests, isCut = false): Send {
  const chunks = isCut ? answerTo(request).map(cutShort) : answerTo(request);
  const isStream = chunks.length > 1;
  return async () => {
    let next = 0;
    const take = () => chunks[next++];
    return {
      status: 200,
      headers: { "content-type": isStream ? "text/event-stream" : "application/json" },
      // Each read finds a chunk, so nobody has to listen for one.
      body: { take, next: async () => take(), listen() {}, destroy() {} },
    };
  };
}

function cutShort(answer: Buffer): Buffer {
  return Buffer.from(answer.toString().replace('"finish_reason":"stop"', '"finish_reason":"length"'));
}
