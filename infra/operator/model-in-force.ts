/** Waits until the gateway of `npm start` has taken a changed catalog. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { ModelEntry } from "#shared/books/catalog/catalog.ts";

/** How long a gateway may take, milliseconds: its functions start anew meanwhile. */
const longestMs = 20_000;
const stepMs = 50;

/** Resolves when the catalog in this file has the model, or has it no more: the gateway writes it once it serves it. */
export async function awaitInForce(
  file: string,
  { id, isThere }: { id: string; isThere: boolean },
  within = longestMs,
): Promise<void> {
  const until = Date.now() + within;
  while (hasModel(file, id) !== isThere) {
    if (Date.now() > until)
      throw new Error(
        "the catalog is written, but the running gateway has not taken it: its terminal says why, and the next npm start reads it",
      );
    await pause(stepMs);
  }
}

/** Undefined while the file cannot be read. */
function hasModel(file: string, id: string): boolean | undefined {
  try {
    const { models } = JSON.parse(readFileSync(file, "utf8")) as { models: Pick<ModelEntry, "id">[] };
    return models.some((model) => model.id === id);
  } catch {
    return undefined;
  }
}
