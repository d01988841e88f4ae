/** A browser's `fetch` as a page of another origin has it: it asks first, sends if it may, and reads what it may. */
import { expect } from "vitest";

const origin = "https://app.example";

/** Headers that need no leave to be sent, and those of an answer that need none to be read. */
const safeToSend = new Set(["accept", "accept-language", "content-language"]);
const safeToRead = ["cache-control", "content-type"];

interface Browser {
  fetch: typeof fetch;
  /** What was asked before each request: its method, its path, and the names of its headers. */
  asked: { method: string; path: string; headers: string[] }[];
}

/** A browser. Its `fetch` rejects with a `TypeError`, as every browser's does, where the answer gives no leave. */
export function openBrowser(platform: typeof fetch = fetch): Browser {
  const asked: Browser["asked"] = [];
  return {
    asked,
    async fetch(input, init) {
      const request = new Request(input, init);
      const names = [...request.headers.keys()].filter((name) => !safeToSend.has(name)).toSorted();
      asked.push({ method: request.method, path: new URL(request.url).pathname, headers: names });
      const leave = await platform(request.url, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": request.method,
          "access-control-request-headers": names.join(","),
        },
      });
      const allowed = listIn(leave, "access-control-allow-headers");
      const refused = names.filter((name) => !allowed.includes(name));
      if (!leave.ok || !isOpen(leave) || refused.length > 0) throw new TypeError("Failed to fetch");
      expect(leave.headers.get("access-control-allow-methods")).toContain(request.method);
      const headers = new Headers(request.headers);
      headers.set("origin", origin);
      const body = request.body && Buffer.from(await request.arrayBuffer());
      const answer = await platform(request.url, { method: request.method, headers, body });
      if (!isOpen(answer)) throw new TypeError("Failed to fetch");
      const readable = [...safeToRead, ...listIn(answer, "access-control-expose-headers")];
      const read = [...answer.headers].filter(([name]) => readable.includes(name));
      return new Response(answer.body, { status: answer.status, headers: read });
    },
  };
}

function isOpen({ headers }: Response): boolean {
  return headers.get("access-control-allow-origin") === "*";
}

function listIn({ headers }: Response, name: string): string[] {
  return (headers.get(name) ?? "").split(",").map((each) => each.trim().toLowerCase());
}
