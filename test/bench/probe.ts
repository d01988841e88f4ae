/**
 * Looks into a gateway's process from within. Node loads it before the gateway (`--import`), in every thread. Each
 * thread answers questions on a socket of its own. The sockets are in the folder that the import's query names. Figures
 * of the gateway's speed are taken without it.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { GCProfiler, getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread, threadId, workerData } from "node:worker_threads";
import { countCopies } from "./copies.ts";

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

/** What a thread has allocated on its heap between two questions, and what its collections took. */
export interface ThreadAllocations {
  bytes: number;
  collections: number;
  collectionMs: number;
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

let profiler = new GCProfiler();
let usedAtStart = 0;
let endCopies = (): ThreadCopies => ({});

const answers: Record<string, () => object> = {
  "/memory": memory,
  "/memory/collected": () => {
    setFlagsFromString("--expose-gc");
    (runInNewContext("gc") as () => void)();
    return memory();
  },
  "/allocations/start": () => {
    profiler = new GCProfiler();
    profiler.start();
    usedAtStart = process.memoryUsage().heapUsed;
    return {};
  },
  "/allocations/stop": (): ThreadAllocations => {
    const used = process.memoryUsage().heapUsed;
    const { statistics } = profiler.stop();
    let bytes = 0;
    let since = usedAtStart;
    for (const { beforeGC, afterGC } of statistics) {
      bytes += beforeGC.heapStatistics.usedHeapSize - since;
      since = afterGC.heapStatistics.usedHeapSize;
    }
    const collectionMs = statistics.reduce((sum, { cost }) => sum + cost / 1000, 0);
    return { bytes: bytes + used - since, collections: statistics.length, collectionMs };
  },
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
