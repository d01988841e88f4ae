/** The inbox of this machine (infra/local/sandbox/inbox.ts), which takes the place of a service. */
import { readAll, send } from "../../../base/platform/http-client.ts";
import { SendRefused } from "../send-once.ts";
import type { SmsService } from "./message.ts";
import type { InboxSettings } from "./settings.ts";

/** Sends to an inbox: one POST with the message as JSON. */
export function inbox({ url }: InboxSettings, timeoutMs: number): SmsService {
  return async (message) => {
    const reply = await send({
      method: "POST",
      url,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
      connectMs: timeoutMs,
      firstByteMs: timeoutMs,
      idleMs: timeoutMs,
      once: true,
    });
    await readAll(reply, 64 * 1024);
    if (reply.status !== 204) throw new SendRefused(`status-${reply.status}`, reply.status);
  };
}
