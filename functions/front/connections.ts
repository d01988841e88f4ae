/** The connections of a server, and what is answered to bytes that are no request. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorReply } from "#shared/http/error-styles.ts";
import { limits } from "#shared/limits.ts";
import { newId } from "#shared/platform/id.ts";

/** One request of a connection, until its answer is over. */
interface Turn {
  incoming: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  /** In the order of their answers. */
  turns: Turn[];
  /** What was wrong with the bytes that came last. */
  fault: NodeJS.ErrnoException | undefined;
}

export interface Connections {
  /**
   * Counts a request in. Gives what to call when its answer is over; undefined where it must not be answered, because
   * it comes after one whose answer closes the connection.
   */
  begin(turn: Turn): (() => void) | undefined;
  /** Closes the connections on which nothing has been asked. Node takes none of them for idle. */
  closeUnused(): void;
  /**
   * Closes those that wait for another request. None of them while an answer is still leaving, because Node takes its
   * connection for idle too.
   */
  closeIdle(): void;
  /** Closes those that answer nothing, also where a request has come in part. */
  closeUnanswered(): void;
}

/**
 * Answers whatever is not HTTP, or too slow or too large to become a request, with 400, and closes its connection.
 * Whole requests before it on the same connection get their answers first.
 */
export function watchConnections(server: Server, { now }: { now: () => number }): Connections {
  const open = new Map<Socket, Connection>();
  server.on("connection", (socket: Socket) => {
    open.set(socket, { turns: [], fault: undefined });
    socket.once("close", () => open.delete(socket));
  });
  const closeWhere = (condition: (socket: Socket, connection: Connection) => boolean): void => {
    for (const [socket, connection] of open) if (condition(socket, connection)) socket.destroy();
  };
  const isLeaving = ({ turns }: Connection): boolean =>
    turns.some(({ response }) => response.writableEnded && !response.writableFinished);
  const refuseInTurn = (socket: Socket, { turns, fault }: Connection): void => {
    if (fault && !turns.some(isAnswered)) refuse(socket, fault, now());
  };
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const connection = open.get(socket);
    // Nobody is there to read an answer, or has asked for one.
    if (!connection || !socket.writable || error.code === "ECONNRESET" || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    // What follows bad bytes is bad too.
    if (connection.fault) return;
    connection.fault = error;
    refuseInTurn(socket, connection);
  });
  return {
    begin(turn) {
      const { socket } = turn.incoming;
      const connection = open.get(socket);
      if (!connection || connection.turns.some(({ response }) => !response.shouldKeepAlive)) return undefined;
      connection.turns.push(turn);
      return () => {
        connection.turns = connection.turns.filter((each) => each !== turn);
        // Where this answer was the last one, the connection closes by itself.
        if (turn.response.shouldKeepAlive) refuseInTurn(socket, connection);
      };
    },
    closeUnused: () => closeWhere(({ bytesRead }) => bytesRead === 0),
    closeIdle() {
      if (!open.values().some(isLeaving)) server.closeIdleConnections();
    },
    closeUnanswered: () => closeWhere((_, { turns }) => !turns.some(isAnswered)),
  };
}

/** Whether a request has an answer of its own: it came whole, or is being answered already. */
function isAnswered({ incoming, response }: Turn): boolean {
  return incoming.complete || response.headersSent;
}

/** Writes the answer past node:http, which has no request to answer. The path is not known, so it has the standard style. */
function refuse(socket: Socket, error: NodeJS.ErrnoException, now: number): void {
  if (!socket.writable) return void socket.destroy();
  const reply = errorReply("standard", "invalid_request", { message: reasonOf(error) });
  const body = String(reply.body);
  const lines = [
    "HTTP/1.1 400 Bad Request",
    ...Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`),
    "cache-control: no-store",
    `x-request-id: ${newId("request", now)}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  // Cut at once, a client that is still sending would miss the answer.
  const timer = setTimeout(() => socket.destroy(), limits.lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

function reasonOf({ code }: NodeJS.ErrnoException): string {
  if (code === "HPE_HEADER_OVERFLOW") return `The request's headers are over ${limits.headBytesMax} bytes.`;
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "The request did not arrive in time.";
  return "The request is not valid HTTP.";
}
