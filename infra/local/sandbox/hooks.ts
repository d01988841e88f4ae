/** A receiver of webhooks on this machine: it takes every message, and shows the last ones (people/news/README.md). */
import { escapeHtml } from "../dashboard/chart.ts";

/** A message as the page and `/hooks.json` show it. */
interface HookMessage {
  id: string;
  type: string;
  /** The headers that sign it. */
  timestamp: string;
  signature: string;
  /** As it was sent: the signature is over these bytes. */
  body: string;
  /** RFC 3339. */
  at: string;
}

/** How many messages are kept. */
const keptMax = 100;

/** The receiver, which keeps what it takes in memory. */
export function createHooks() {
  const messages: HookMessage[] = [];
  return {
    messages,
    /** Takes a message. False where it is none. */
    take(headers: NodeJS.Dict<string | string[]>, body: string): boolean {
      const type = typeIn(body);
      const of = (name: string) => String(headers[`webhook-${name}`] ?? "");
      if (type === undefined || of("id") === "") return false;
      const signed = { id: of("id"), timestamp: of("timestamp"), signature: of("signature") };
      messages.unshift({ ...signed, type, body, at: new Date().toISOString() });
      messages.length = Math.min(messages.length, keptMax);
      return true;
    },
    /** What the page shows: its table, or what to do. */
    html(): string {
      if (messages.length === 0) return "<p>No message yet. Make a webhook with this URL on the console.</p>";
      const rows = messages.map(
        ({ id, type, body, at }) =>
          `<tr><td><b>${escapeHtml(type)}</b><br>${escapeHtml(id)}</td><td><code>${escapeHtml(body)}</code></td><td>${escapeHtml(at.slice(11, 19))} UTC</td></tr>`,
      );
      return `<table><thead><tr><th scope="col">Message</th><th scope="col">Body</th><th scope="col">Came</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
    },
  };
}

function typeIn(body: string): string | undefined {
  try {
    const { type } = JSON.parse(body) as { type?: unknown };
    return typeof type === "string" ? type : undefined;
  } catch {
    return undefined;
  }
}
