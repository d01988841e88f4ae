/** Names of events. Only protocols whose data does not say what it is read them, so this is loaded with those. */

const lineFeed = 0x0a;

/** The name of a frame's event, where its first line has it; else "". */
export function eventName(frame: Buffer): string {
  const end = frame.indexOf(lineFeed);
  const line = frame.toString("utf8", 0, end === -1 ? frame.length : end);
  return line.startsWith("event:") ? line.slice("event:".length).trim() : "";
}
