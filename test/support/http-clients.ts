/** The HTTP client over each undici that may serve it, for tests that hold both to the same laws. */
import { vi } from "vitest";

type HttpClient = typeof import("#shared/base/platform/http-client.ts");

const agentOfFetch = Symbol.for("undici.globalDispatcher.1");
const scope = globalThis as { [agentOfFetch]?: object | undefined };

/** Opens a client of its own, as a process would that finds Node's undici or does not. */
export const httpClients: Record<"Node's undici" | "the package", () => Promise<HttpClient>> = {
  "Node's undici": () => import("#shared/base/platform/http-client.ts"),
  "the package": async () => {
    void globalThis.Request;
    const hidden = scope[agentOfFetch];
    scope[agentOfFetch] = undefined;
    vi.resetModules();
    try {
      const client = await import("#shared/base/platform/http-client.ts");
      // It chooses with its first call.
      const bounds = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 };
      const call = { method: "GET", url: "http://127.0.0.1:1/", headers: {}, body: "" };
      await client.send({ ...call, ...bounds }).catch(() => {});
      return client;
    } finally {
      scope[agentOfFetch] = hidden;
    }
  },
};

export const httpClientNames = Object.keys(httpClients) as (keyof typeof httpClients)[];
