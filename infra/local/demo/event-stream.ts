/** Events of AWS's event stream, as Bedrock sends them. */
import { encodeMessage } from "#shared/base/sse/event-message.ts";

/** An event with this name. */
export function eventOf(name: string, payload: object): Buffer {
  const headers = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
  return encodeMessage(headers, Buffer.from(JSON.stringify(payload)));
}
