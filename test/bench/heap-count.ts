/** What a thread allocates on V8's heap, counted from within. */
import { GCProfiler } from "node:v8";

/** What a thread has allocated on its heap between two instants, and what its collections took. */
export interface ThreadAllocations {
  bytes: number;
  collections: number;
  collectionMs: number;
}

/** Counts from now on, through collections too. Gives what ends it and tells. Buffers lie outside of this heap. */
export function countAllocated(): () => ThreadAllocations {
  const profiler = new GCProfiler();
  profiler.start();
  const usedAtStart = process.memoryUsage().heapUsed;
  return () => {
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
  };
}
