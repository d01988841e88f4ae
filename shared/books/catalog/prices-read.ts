/** From when to when the prices of a catalog were read. */
import type { PriceSource } from "./catalog.ts";

/** The UTC days on which the oldest and the newest price were read. */
interface PricesRead {
  oldest: string;
  newest: string;
}

/** When prices of these sources were read; null where none says it. */
export function pricesRead(sources: readonly (PriceSource | null | undefined)[]): PricesRead | null {
  const days = sources.flatMap((source) => (source ? [source.as_of] : [])).sort();
  const [oldest, newest] = [days[0], days.at(-1)];
  return oldest === undefined || newest === undefined ? null : { oldest, newest };
}
