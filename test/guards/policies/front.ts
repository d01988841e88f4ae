/** The server's front: hostile bytes, and the end of a process. */
import type { Row } from "#test/guards/guard.ts";

export const front: Row[] = [
  {
    id: "front-1",
    test: "functions/front/hostile › %s is a 400, and nothing behind it is served",
    guard: 'host !== undefined && !host.includes(",")',
    without: "true",
  },
  {
    id: "front-2",
    test: "functions/front/hostile › %s is a 400, and nothing behind it is served",
    guard: " || connection.turns.some(({ response }) => !response.shouldKeepAlive)",
    without: "",
  },
  {
    id: "front-3",
    test: "functions/front/hostile › what came whole before it is answered first",
    guard: "if (fault && !turns.some(isAnswered))",
    without: "if (fault)",
  },
  {
    id: "front-4",
    test: "functions/front/requests › has its path still encoded, its query, and its headers as an event has them",
    guard: 'typeof before === "string"',
    without: "before !== undefined",
  },
  {
    id: "front-5",
    test: "functions/front/requests › are refused, and take none of it",
    guard: "if (!Buffer.isBuffer(outcome)) room.give(bytes);",
    without: "",
  },
  {
    id: "front-6",
    test: "functions/front/replies › by a reply that cannot be sent does not keep its usage from being read",
    guard: 'if (typeof reply.body === "function") await reply.body({ write: () => undefined });',
    without: "",
  },
  {
    id: "front-7",
    test: "functions/front/pipeline › breaks off a stream that goes on for too long, tells the client, and settles it",
    guard: 'stopping?.addEventListener("abort", breakOff);',
    without: "",
  },
  {
    id: "front-8",
    test: "functions/front/drain › a request that comes after that is refused, and one that never comes whole is forgotten",
    guard: 'if (request.stopping?.aborted) return "global_rate_limited";',
    without: "",
  },
];
