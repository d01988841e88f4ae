/** The server's front: hostile bytes, memory that is freed by hand, and the end of a process. */
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
    test: "functions/front/bodies › that goes away leaves its room",
    guard: "(this.#isKnown ? known : strangers).give(this.#owner, this.#held);",
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
    guard: 'if (request.stopping?.aborted) return "stopping";',
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
    test: "shared/base/http/pages › health answers without the folder, and also when no more calls get in",
    guard: "if (!isPage && !calls.enter())",
    without: "if (!calls.enter())",
  },
  {
    id: "front-11",
    test: "shared/base/http/pages › /docs/%s is no file of it",
    guard: "const file = Object.hasOwn(index, name) ? index[name] : undefined;",
    without: 'const file = index[name] ?? { type: "text/plain", hash: "" };',
  },
  {
    id: "front-12",
    test: "shared/base/http/pages › %s: a browser runs nothing of another origin, and frames it nowhere",
    guard: '...(file.type.startsWith("text/html") && html),',
    without: "",
  },
  {
    id: "front-13",
    test: "shared/base/platform/pinned-memory › stays while a provider that has answered already may still read it, and is sent as it was",
    guard: "socket.destroyed || socket.writableLength === 0",
    without: "true",
  },
  {
    id: "front-14",
    test: "shared/base/platform/pinned-memory › leaves pinned memory alone until everybody has unpinned it, each once",
    guard: "pinned = [];",
    without: "",
  },
  {
    id: "front-15",
    test: "shared/base/platform/pinned-memory › leaves memory alone that %s",
    guard: "memory.byteLength !== byteLength || ",
    without: "",
  },
  {
    id: "front-16",
    test: "functions/front/requests › %s: %i bytes are %i once the call is over, and not before",
    guard: "if (body.length >= freedBytesMin) free(body);",
    without: "free(body);",
  },
  {
    id: "front-17",
    test: "shared/base/platform/log › a process that %s writes what waits",
    guard: 'process.once("exit", writeAll);',
    without: "",
  },
  {
    id: "front-18",
    test: "functions/front/strangers › have %s: each is refused by its head, and customers are served",
    guard: 'if (length !== undefined && length > strangerBodyBytesMax) void this.#identify("needs_key");',
    without: "if (length === -1) void 0;",
  },
  {
    id: "front-19",
    test: "functions/front/strangers › end after two seconds without a key, and after ten more with one",
    guard: "if (this.#bytes - this.#mark.bytes < bodyRateBytesMin)",
    without: "if (this.#bytes < 0)",
  },
  {
    id: "front-20",
    test: "functions/front/bodies › is never overdrawn, nobody takes more than is left for the others, and all comes back",
    guard: "if (own > left - bytes) return false;",
    without: "if (bytes > left) return false;",
  },
  {
    id: "front-21",
    test: "functions/front/bodies › finds room beside those of many others, which give way from the largest down",
    guard: 'most.#end("no_room");',
    without: "return false;",
  },
  {
    id: "front-22",
    test: "functions/front/strangers › close those that have never asked for anything, and leave those that are owed an answer",
    guard: "if (open.size <= connectionsMax) return;",
    without: "return;",
  },
  {
    id: "front-23",
    test: "functions/front/bodies › finds the strangers' room full, and goes on under its own key",
    guard: 'return void this.#identify("no_room", piece);',
    without: 'return void this.#end("no_room");',
  },
];
