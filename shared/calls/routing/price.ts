/** What the house pays for a call on each channel (README.md "What the house pays"). Nothing outside is told of it. */
import type { HouseCost, Objective } from "../../books/catalog/catalog.ts";
import type { Board } from "./board.ts";

/** What a caller's wait is weighed with: so many milliseconds for a price that is twice the lowest one. */
const weights: Readonly<Record<Objective, number>> = { latency: 0, balanced: 1_000, cost: 10_000 };

/** A channel, and what the house pays there, where the catalog says it. */
interface Priced {
  id: string;
  cost?: HouseCost;
}

/** The price of the model's average call on each channel with a cost, by its id. Only proportions mean something. */
export function pricesOf(channels: readonly Priced[], board: Board | undefined): Map<string, number> {
  const prices = new Map<string, number>();
  let all: Used | undefined;
  for (const { id, cost } of channels) {
    if (!cost) continue;
    all ??= usedOf(board);
    const own = usedOf(board, id);
    const cached = own.input > 0 ? own.cached / own.input : 0;
    const [input, output] = all.input > 0 ? [all.input, all.output] : [1, 1];
    // Where a cache is in use, what it does not serve is mostly written to it.
    const uncached = cached > 0 ? (cost.cache_write ?? cost.input) : cost.input;
    const read = Number(cost.cache_read ?? cost.input);
    prices.set(id, input * (cached * read + (1 - cached) * Number(uncached)) + output * Number(cost.output));
  }
  return prices;
}

/** Tokens. */
interface Used {
  input: number;
  cached: number;
  output: number;
}

/** The tokens that the board has counted, of one channel or of all. */
function usedOf(board: Board | undefined, channel?: string): Used {
  const used = { input: 0, cached: 0, output: 0 };
  for (const { channels } of board?.windows ?? []) {
    for (const counts of channel === undefined ? Object.values(channels) : [channels[channel] ?? {}]) {
      used.input += counts.input_tokens ?? 0;
      used.cached += counts.cache_read_tokens ?? 0;
      used.output += counts.output_tokens ?? 0;
    }
  }
  return used;
}

/** What a price is worth in a caller's wait, in milliseconds; 0 where it is the lowest, or not known. */
export function priceMs(
  price: number | undefined,
  lowest: number,
  objective: Objective = "balanced",
): number {
  if (price === undefined || price === lowest || weights[objective] === 0) return 0;
  return weights[objective] * (price / lowest - 1);
}
