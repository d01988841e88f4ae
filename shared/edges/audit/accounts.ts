/** The audit of organizations' records: each lies where its id says, is whole, and is there for whatever names it. */
import { differences, finding, found, type Sorted } from "./kept.ts";
import type { Finding } from "./rollups.ts";
import { allMisshapen } from "./shapes.ts";

/** Each record has values of the right types, and each organization that something names is there. */
export function accountsAgree({ keys, items }: { keys: Sorted; items: Sorted }): Finding {
  const own = keys.of("organization");
  const known = new Set(own.map(({ pk }) => pk.slice("O#".length)));
  const naming = ["membership", "order", "invoice"].flatMap((kind) => items.of(kind));
  const gaps = [
    ...own.flatMap(({ pk, fields = {} }) =>
      found(pk, () => differences(fields, { id: pk.slice("O#".length) })),
    ),
    ...allMisshapen(keys, items),
    ...naming.flatMap(({ pk, sk, fields }) => {
      const id = String(fields?.organization);
      return known.has(id) ? [] : [`${pk} ${sk} has the organization ${id}, which is not there`];
    }),
  ];
  return finding(gaps, `${own.length} organizations: each whole, and there for what names it`);
}
