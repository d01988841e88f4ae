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
  {
    id: "front-9",
    test: "functions/front/drain › health answers 503 on a connection that is open while the front drains",
    guard: "draining: isDraining(),",
    without: "",
  },
  {
    id: "front-10",
    test: "shared/http/pages › health answers without the folder, and also when no more calls get in",
    guard: "if (!isPage && !calls.enter())",
    without: "if (!calls.enter())",
  },
  {
    id: "front-11",
    test: "shared/http/pages › /docs/%s is no file of it",
    guard: "const file = Object.hasOwn(index, name) ? index[name] : undefined;",
    without: 'const file = index[name] ?? { type: "text/plain", hash: "" };',
  },
  {
    id: "front-12",
    test: "shared/http/pages › %s: a browser runs nothing of another origin, and frames it nowhere",
    guard: '...(file.type.startsWith("text/html") && html),',
    without: "",
  },
];
