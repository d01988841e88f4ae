/**
 * Looks into a gateway's process from within. Node loads it before the gateway (`--import`), in every thread. Each
 * thread answers questions on a socket of its own. The sockets are in the folder that the import's query names. Figures
 * of the gateway's speed are taken without it.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread, threadId, workerData } from "node:worker_threads";
import { countCopies } from "./copies.ts";
import { countAllocated } from "./heap-count.ts";

/** What a thread's heap holds, bytes; and how many things keep its loop alive. */
export interface ThreadMemory {
  /** Of the function that runs in it. */
  name: string;
  heapUsed: number;
  heapTotal: number;
  /** What V8 has taken for young objects, part of the total. */
  young: number;
  external: number;
  arrayBuffers: number;
  handles: number;
}

/** Bytes that a thread has copied between two questions, by what copied them. */
export type ThreadCopies = Record<string, number>;

function memory(): ThreadMemory {
  const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  const young = getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith("new_"))
    .reduce((sum, { space_size }) => sum + space_size, 0);
  const handles = process.getActiveResourcesInfo().length;
  return { name, heapUsed, heapTotal, young, external, arrayBuffers, handles };
}

/** The local gateway tells a thread which function it is. */
const name = isMainThread
  ? "main"
  : ((workerData as { resource?: { name: string } } | null)?.resource?.name ?? `thread ${threadId}`);

let endAllocated: () => object = () => ({});
let endCopies = (): ThreadCopies => ({});

const answers: Record<string, () => object> = {
  "/memory": memory,
  "/memory/collected": () => {
    setFlagsFromString("--expose-gc");
    (runInNewContext("gc") as () => void)();
    return memory();
  },
  "/allocations/start": () => {
    endAllocated = countAllocated();
    return {};
  },
  "/allocations/stop": () => endAllocated(),
  "/copies/start": () => {
    endCopies = countCopies();
    return {};
  },
  "/copies/stop": () => endCopies(),
};

const folder = new URL(import.meta.url).searchParams.get("folder") ?? "";
const server = createServer((request, response) => {
  const answer = answers[request.url ?? ""];
  response.writeHead(answer ? 200 : 404, { connection: "close", "content-type": "application/json" });
  response.end(JSON.stringify(answer?.() ?? {}));
});
// It must not keep a process alive that is done.
server.listen(join(folder, `${threadId}.sock`)).unref();
