/**
 * The dashboard on a loopback port of its own (infra/monitoring/dashboard.md "Locally"). The log is read, and the
 * page's code loaded, with the first request.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen } from "../emulators/listen.ts";
import { createLocalServer } from "../emulators/loopback.ts";
import type { View, ViewOptions } from "./view.ts";

/** The port of the dashboard, and what it shows. */
type DashboardOptions = Omit<ViewOptions, "since"> & {
  /** The port that is wished for. 0 picks one. */
  port: number;
  /** Whether no other port will do. */
  isPortFixed: boolean;
};

interface LocalDashboard {
  url: string;
  stop(): Promise<void>;
}

/** Nothing of another origin is loaded, nothing in the page itself is run, and nobody may frame it. */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  // What is shown is as of now.
  "cache-control": "no-cache, no-store",
};

/** Opens the port. Rejects when it is taken, unless another one will do. */
export async function openDashboard(options: DashboardOptions): Promise<LocalDashboard> {
  const since = Date.now();
  let view: Promise<View> | undefined;
  const load = async () => (await import("./view.ts")).openView({ ...options, since });
  const server = createLocalServer((request, response) => {
    // Not before a request is one of ours: nobody would hear that it failed, and Node ends a process for that.
    const seen = () => (view ??= load());
    answer(request, response, seen).catch((error: unknown) => fail(response, error));
  });
  const { port, isPortFixed } = options;
  const listening = await listen(server, port).catch((error: unknown) => {
    if (isPortFixed || port === 0) throw error;
    return listen(server, 0);
  });
  return {
    url: listening.url,
    async stop() {
      options.sampler.stop();
      await listening.stop();
      await (await view?.catch(() => undefined))?.close();
    },
  };
}

async function answer(
  { method = "", url = "/" }: IncomingMessage,
  response: ServerResponse,
  view: () => Promise<View>,
): Promise<void> {
  if (method !== "GET" && method !== "HEAD")
    return send(response, 405, "text/plain", "The dashboard is only read.\n");
  const found = await (await view()).file(url.split("?")[0] ?? "/");
  if (!found) return send(response, 404, "text/plain", "There is the page /, and /dashboard.json.\n");
  send(response, 200, found.type, method === "HEAD" ? "" : found.body);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...headers, "content-type": `${type}; charset=utf-8` }).end(body);
}

function fail(response: ServerResponse, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  if (response.headersSent) response.destroy();
  else send(response, 500, "text/plain", `The dashboard cannot be drawn: ${reason}\n`);
}
