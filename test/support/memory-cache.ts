/** Cached answers in memory, for tests of the pipeline; what is there can be read, and each method can fail. */
import type { CacheEntries, CacheEntry, EntryPlace } from "#shared/calls/cache/entries.ts";

export interface MemoryCache extends CacheEntries {
  entries: Map<string, CacheEntry>;
  reads: number;
  puts: number;
  /** What each method does first. */
  before: () => Promise<void>;
}

/** An empty store. */
export function createMemoryCache(): MemoryCache {
  const keyOf = ({ scope, name }: EntryPlace) => `${scope}/${name}`;
  const cache: MemoryCache = {
    entries: new Map(),
    reads: 0,
    puts: 0,
    before: async () => {},
    async read(place) {
      cache.reads += 1;
      await cache.before();
      return cache.entries.get(keyOf(place));
    },
    async put(place, entry) {
      cache.puts += 1;
      await cache.before();
      cache.entries.set(keyOf(place), entry);
    },
    async remove(place, origin) {
      await cache.before();
      const isIt = cache.entries.get(keyOf(place))?.origin === origin;
      if (isIt) cache.entries.delete(keyOf(place));
      return isIt;
    },
  };
  return cache;
}
