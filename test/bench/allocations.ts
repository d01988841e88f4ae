/**
 * What a call allocates and copies: counted in a gateway's process of its own, so that counting slows no measured one.
 */
import type { ThreadAllocations } from "./heap-count.ts";
import type { Load } from "./load-client.ts";
import type { ThreadCopies } from "./probe.ts";
import type { Probe } from "./probed.ts";
import { requests } from "./provider.ts";
import { type ScenarioName, type Side, scenarios } from "./rounds.ts";

export interface Allocations {
  scenario: ScenarioName;
  /** Kilobytes of 1,024 bytes on the heaps of all threads, a call. Bodies lie outside of these heaps. */
  kilobytes: number;
  /** Collections a thousand calls, and what they stopped the threads for, µs a call. */
  collections: number;
  collectionMicroseconds: number;
}

/** How many times the bytes of a large body were copied for each call that had one, by what copied them. */
export type Copies = Map<string, number>;

const counted = ["json", "stream", "large"] as const satisfies ScenarioName[];
const seconds = 1;

/** Counts on a gateway with a probe. */
export async function countAllocations(load: Load, side: Side, probe: Probe): Promise<Allocations[]> {
  const all: Allocations[] = [];
  for (const scenario of counted) {
    const { request, rhythm } = scenarios[scenario];
    const round = { url: side.url, key: side.key, headers: {}, request, rhythm };
    await load.run({ ...round, seconds: 0.3 });
    await probe.ask("/allocations/start");
    const { calls } = await load.run({ ...round, seconds });
    const threads = [...(await probe.ask<ThreadAllocations>("/allocations/stop")).values()];
    const sum = (field: keyof ThreadAllocations) => threads.reduce((whole, each) => whole + each[field], 0);
    all.push({
      scenario,
      kilobytes: sum("bytes") / calls / 1024,
      collections: (sum("collections") / calls) * 1000,
      collectionMicroseconds: (sum("collectionMs") / calls) * 1000,
    });
  }
  return all;
}

/** Counts one large body after the other, so that no other call's bytes are among them. */
export async function countBodyCopies(load: Load, side: Side, probe: Probe): Promise<Copies> {
  await probe.ask("/copies/start");
  const { calls } = await load.run({
    url: side.url,
    key: side.key,
    headers: {},
    request: "large",
    rhythm: { inFlight: 1 },
    seconds,
  });
  const copies: Copies = new Map();
  for (const thread of (await probe.ask<ThreadCopies>("/copies/stop")).values()) {
    for (const [name, bytes] of Object.entries(thread)) {
      copies.set(name, (copies.get(name) ?? 0) + bytes / calls / requests.large.length);
    }
  }
  return copies;
}
