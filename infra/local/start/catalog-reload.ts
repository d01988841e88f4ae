/**
 * A running gateway takes a changed catalog. All functions begin anew with it, and calls in flight end with the one
 * that they began with. One that the check refuses is told, and the one before stays in force.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import type { LocalFunction } from "../emulators/lambda.ts";
import { giveCatalog, tellCatalog } from "./built-stack.ts";
import { readSource, sourceState } from "./catalog-source.ts";
import { keysSet, type LocalCatalog } from "./local-catalog.ts";
import type { Observer } from "./observer.ts";

interface ReloadParts {
  /** The path of the catalog that people change. What it extended, and its state, when it was read. */
  source: { path: string; bases: readonly string[]; state: string };
  assembly: string;
  /** The catalog as this machine serves it, with these keys of providers beside those of the environment. */
  localize(catalog: Catalog, keys: Record<string, string>): LocalCatalog;
  /** The ARN of the providers' secret, and the texts of all secrets by theirs. */
  keys: { arn: string; values: Map<string, string> };
  functions: { front: LocalFunction; others: readonly LocalFunction[] };
}

interface CatalogFollower {
  /** Says that a secret has changed. Of a provider that has a key now, the demo provider plays nothing any more. */
  secretChanged(arn: string): void;
}

/** How often the files are looked at, milliseconds. A change is taken once two looks have seen the same. */
const lookMs = 150;

/** Looks at the files until the disposal of `parts`. */
export function followCatalog(
  reload: ReloadParts,
  parts: AsyncDisposableStack,
  { note, warn }: Pick<Observer, "note" | "warn">,
): CatalogFollower {
  const { path } = reload.source;
  let { bases } = reload.source;
  let taken = reload.source.state;
  let seen = taken;
  let wanted = false;
  const ending = new AbortController();
  parts.defer(() => ending.abort());

  const look = async (): Promise<void> => {
    const before = seen;
    seen = sourceState(path, bases);
    if (seen !== before || (seen === taken && !wanted)) return;
    taken = seen;
    wanted = false;
    try {
      const read = await readSource(path);
      if (String(read.bases) !== String(bases)) {
        bases = read.bases;
        taken = seen = sourceState(path, bases);
      }
      await take(reload, read.catalog);
      note(`The catalog has changed: ${read.catalog.models.length} models are served now.`);
    } catch (error) {
      warn(`The catalog has changed and is not taken, so the one before stays:\n${(error as Error).message}`);
    }
  };
  const follow = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await pause(lookMs, undefined, { signal: ending.signal, ref: false });
      await look();
    }
  };
  // It ends when the pause is broken off.
  follow().catch(() => {});
  return {
    secretChanged(arn) {
      wanted ||= arn === reload.keys.arn;
    },
  };
}

/** Puts a catalog into force. What books calls has it before what answers them. */
async function take({ assembly, localize, keys, functions }: ReloadParts, source: Catalog): Promise<void> {
  const text = keys.values.get(keys.arn) ?? "{}";
  const set = keysSet(text);
  const { catalog, secrets } = localize(source, set);
  const { $set } = JSON.parse(text) as { $set?: unknown };
  keys.values.set(keys.arn, JSON.stringify({ ...secrets, ...set, ...($set !== undefined && { $set }) }));
  giveCatalog(assembly, catalog);
  await Promise.all(functions.others.map((each) => each.renew()));
  await functions.front.renew();
  tellCatalog(assembly, catalog);
}
