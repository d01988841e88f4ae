/** AWS's event stream (`application/vnd.amazon.eventstream`), written from its documentation. */
import { crc32 } from "node:zlib";

export const eventStreamType = "application/vnd.amazon.eventstream";

/** A message: its lengths, its headers, which are texts, its payload, and a checksum behind the lengths and the whole. */
function messageOf(headers: Record<string, string>, payload: object): Buffer {
  const named = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + named.length + body.length);
  prelude.writeUInt32BE(named.length, 4);
  const bytes = Buffer.concat([prelude, checksum(prelude), named, body]);
  return Buffer.concat([bytes, checksum(bytes)]);
}

/** An event with this name. */
export function eventOf(name: string, payload: object): Buffer {
  const headers = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
  return messageOf(headers, payload);
}

/** A header that is a text: its type is 7. */
function header(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([7]), length, text]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
