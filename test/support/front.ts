/** A front of its own for each test of a file, and a client that speaks to it byte by byte. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach } from "vitest";
import type { HttpReply, HttpRequest } from "#shared/base/http/message.ts";
import type { LogFields } from "#shared/base/platform/log.ts";
import type { Look } from "#shared/calls/gateway/look.ts";
import type { Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { type Front, type FrontOptions, openFront } from "../../functions/front/front.ts";

interface Fronts {
  /** Opens a front over a pipeline, on loopback. Every request is of one organization unless `look` says otherwise. */
  open(
    serve: Pipeline,
    options?: Partial<FrontOptions>,
    deps?: { look?: Look; now?: () => number },
  ): Promise<Front>;
  /** What it has logged. */
  logs: { event: string; fields: LogFields }[];
}

/** Registers fronts that are closed after each test. */
export function useFronts(): Fronts {
  const opened: Front[] = [];
  const logs: Fronts["logs"] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((front) => front.close(0)));
    logs.length = 0;
  });
  return {
    logs,
    async open(serve, options = {}, deps = {}) {
      const log = (_: unknown, event: string, fields: LogFields = {}) => void logs.push({ event, fields });
      const front = await openFront(
        serve,
        { port: 0, host: "127.0.0.1", ...options },
        { now: Date.now, log, look: async () => "org_one", ...deps },
      );
      opened.push(front);
      return front;
    },
  };
}

/** A pipeline that answers with what it was asked, as JSON, and records it. The front frees a large body after it. */
export function echo(): { serve: Pipeline; asked: HttpRequest[] } {
  const asked: HttpRequest[] = [];
  const serve = async (request: HttpRequest): Promise<HttpReply> => {
    asked.push({ ...request, body: Buffer.from(request.body) });
    const { method, path, query, headers, body } = request;
    const told = { method, path, query: [...query], headers, body: body.toString("latin1") };
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(told) };
  };
  return { serve, asked };
}

export interface Client {
  socket: Socket;
  send(text: string | Buffer): void;
  /** All that has come until the text `end` or the end of the connection. */
  until(end: string): Promise<string>;
  /** All that came, once the connection is over. */
  closed(): Promise<string>;
}

/** Opens a connection. */
export async function speak({ port }: Pick<Front, "port">): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let heard = "";
  let isOver = false;
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const look of waiting) look();
  };
  socket.setEncoding("latin1").on("data", (text: string) => {
    heard += text;
    tell();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isOver = true;
    tell();
  });
  const when = (condition: () => boolean) =>
    new Promise<string>((resolve) => {
      const look = () => {
        if (!condition()) return;
        waiting.delete(look);
        resolve(heard);
      };
      waiting.add(look);
      look();
    });
  return {
    socket,
    send: (text) => void socket.write(text),
    until: (end) => when(() => isOver || heard.includes(end)),
    closed: () => when(() => isOver),
  };
}

/** The head of a request. */
export function head(line: string, ...headers: string[]): string {
  return `${[`${line} HTTP/1.1`, "host: gateway.test", ...headers].join("\r\n")}\r\n\r\n`;
}
