/** A service for messages on loopback: it keeps what it was asked, and answers as a test says. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import { listen } from "#infra/local/emulators/listen.ts";

export interface Asked {
  method: string;
  /** With the query, as it came. */
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What is answered. `hang`: nothing. */
export type Answer = { status: number; body: object; headers?: Record<string, string> } | "hang";

/** Starts a service. `closed` resolves when a request that hangs was given up. */
export async function startSmsService() {
  const asked: Asked[] = [];
  const state = { answer: { status: 500, body: {} } as Answer };
  let closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const { method = "", url: target = "", headers } = request;
      asked.push({ method, target, headers, body });
      if (state.answer === "hang") return void response.on("close", closed.resolve);
      const { status, body: answered, headers: more } = state.answer;
      response.writeHead(status, { "content-type": "application/json", connection: "close", ...more });
      response.end(status === 204 ? undefined : JSON.stringify(answered));
    });
  });
  const { url, stop } = await listen(server, 0);
  return {
    url,
    stop,
    closed: () => closed.promise,
    /** Answers so from now on, and gives what is asked from now on. */
    answer(answer: Answer): Asked[] {
      asked.length = 0;
      closed = Promise.withResolvers();
      state.answer = answer;
      return asked;
    },
  };
}
