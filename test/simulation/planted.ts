/** A fault in the books of a history that has come to rest: a field of one item is changed, and the audit must say so. */
import { type AuditDeps, look } from "#shared/edges/audit/audit.ts";
import { kindOf } from "#shared/edges/audit/ties/ties.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { readText } from "#shared/edges/store/dynamodb/attributes.ts";
import {
  during,
  type Fault,
  faultsOf,
  isTied,
  isUnseen,
  nameOfFault,
  toldOf,
} from "#test/support/item-faults.ts";
import { keptNames } from "#test/support/kept-books.ts";
import type { MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { Random } from "./random.ts";

/** Faults are drawn by chances of their own, so that they change nothing else of a seed. */
const faultSeeds = 1_500_000_001;

/**
 * Changes one field, which the seed chooses, and says in a sentence what the audit passes over. Kinds of items are as
 * likely as one another, and so are the fields of an item. The field is as before in the end.
 */
export async function plantFault(seed: number, db: MemoryDynamoDb, deps: AuditDeps): Promise<string[]> {
  const fault = drawFault(new Random(seed + faultSeeds), db, deps.now());
  if (!fault) return [];
  const { findings } = await during(db, fault, () => look(deps));
  if (toldOf(fault, findings).length > 0) return [];
  const others = findings.filter(({ gaps }) => gaps.length > 0).map(({ name }) => name);
  const named = others.length === 0 ? "" : `, which is not said of ${others.join(", ")}`;
  return [`the audit passes over ${nameOfFault(fault)}${named}: ${fault.key}`];
}

function drawFault(random: Random, db: MemoryDynamoDb, now: number): Fault | undefined {
  const kinds = keptNames.flatMap((table) =>
    [...Map.groupBy(db.items(table), (item) => kindNameOf(table, item))].map(
      ([, items]) => [table, items] as const,
    ),
  );
  for (const [table, items] of random.shuffle(kinds)) {
    const faults = faultsOf(table, random.pick(items)).filter((each) => isTied(each) && !isUnseen(each, now));
    if (faults.length > 0) return random.pick(faults);
  }
  return undefined;
}

function kindNameOf(table: (typeof keptNames)[number], { pk, sk }: Item): string {
  return kindOf(table, readText(pk), readText(sk))?.[0] ?? "";
}
