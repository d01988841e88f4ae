/** The connections of a server, and what is answered to bytes that are no request. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorReply } from "#shared/base/http/error-styles.ts";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { addressOf } from "#shared/people/identity/address.ts";

/** One request of a connection, until its answer is over. */
interface Turn {
  incoming: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  /** What its address counts as. */
  address: string;
  /** Whether a request has been answered on it. */
  isUsed: boolean;
  /** In the order of their answers. */
  turns: Turn[];
  /** What was wrong with the bytes that came last. */
  fault: NodeJS.ErrnoException | undefined;
}

export interface Connections {
  /**
   * Registers a request, and gives what to call after its answer; undefined if an earlier answer closes the connection.
   */
  begin(turn: Turn): (() => void) | undefined;
  /** What the address of a connection counts as: of IPv6 its /64. */
  addressOf(socket: Socket): string;
  /** Closes the connections on which no byte has come. Node does not count them as idle. */
  closeUnused(): void;
  /** Closes the connections that wait for a request. None while an answer leaves: Node takes that for idle too. */
  closeIdle(): void;
  /** Closes the connections that owe no answer, even if part of a request has come. */
  closeUnanswered(): void;
}

/**
 * Answers whatever is not HTTP, or too slow or too large to become a request, with 400, and closes its connection.
 * Whole requests before it on the same connection get their answers first.
 */
export function watchConnections(
  server: Server,
  { connectionsMax = limits.connectionsMax }: { connectionsMax?: number },
  { now }: { now: () => number },
): Connections {
  const open = new Map<Socket, Connection>();
  server.on("connection", (socket: Socket) => {
    const address = addressOf(socket.remoteAddress ?? "").ip;
    open.set(socket, { address, isUsed: false, turns: [], fault: undefined });
    socket.once("close", () => open.delete(socket));
    if (open.size <= connectionsMax) return;
    for (const each of leastNeeded(open)) {
      open.delete(each);
      each.destroy();
    }
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
    // The client has gone, or has asked for nothing.
    if (!connection || !socket.writable || error.code === "ECONNRESET" || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    // One answer is enough: whatever follows bad bytes is bad too.
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
        connection.isUsed = true;
        // If this answer was the connection's last one, Node closes it.
        if (turn.response.shouldKeepAlive) refuseInTurn(socket, connection);
      };
    },
    addressOf: (socket) => open.get(socket)?.address ?? "",
    closeUnused: () => closeWhere(({ bytesRead }) => bytesRead === 0),
    closeIdle() {
      if (!open.values().some(isLeaving)) server.closeIdleConnections();
    },
    closeUnanswered: () => closeWhere((_, { turns }) => !turns.some(isAnswered)),
  };
}

/**
 * The connections that give way where there are too many, one in 64 of them: first those of the address that has most.
 * They owe no answer. Of one address, those that have never had one go first, and then those that are open for longest.
 */
function leastNeeded(open: ReadonlyMap<Socket, Connection>): Socket[] {
  const counts = new Map<string, number>();
  for (const { address } of open.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
  const idle = [...open].filter(([, { turns }]) => !turns.some(isAnswered));
  const byNeed = idle.sort(
    ([, one], [, other]) =>
      (counts.get(other.address) ?? 0) - (counts.get(one.address) ?? 0) ||
      Number(one.isUsed) - Number(other.isUsed),
  );
  return byNeed.slice(0, Math.ceil(open.size / 64)).map(([socket]) => socket);
}

/** Whether a request gets an answer of its own: it came whole, or its answer has begun. */
function isAnswered({ incoming, response }: Turn): boolean {
  return incoming.complete || response.headersSent;
}

/** Writes the answer without node:http, which has no request here. The path is not known, so the style is standard. */
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
  // If the connection were cut at once, a client that is still sending would miss the answer.
  const timer = setTimeout(() => socket.destroy(), limits.lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

function reasonOf({ code }: NodeJS.ErrnoException): string {
  if (code === "HPE_HEADER_OVERFLOW") return `The request's headers are over ${limits.headBytesMax} bytes.`;
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "The request did not arrive in time.";
  return "The request is not valid HTTP.";
}
