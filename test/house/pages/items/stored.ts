/** An item of the store: which keys it has, who writes it on which condition, and how its format may change. */
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import type { TableName } from "#shared/edges/store/dynamodb/table-schema.ts";

/** A request whose id says its hour. */
export const sampleRequest = "req_01KAJ2X5P0000000000000000A";

/** What makes a key, and the key that it makes of names in place of values. */
export interface Key {
  name: string;
  item: Item;
}

export interface Stored {
  table: TableName;
  what: string;
  /** How long it is kept. */
  kept: string;
  /** Where its version stands; absent where it has none. */
  version?: string;
  /** How its format changes from one release to the next. `+` says that members are added. */
  changes: string;
  items: readonly {
    what: string;
    keys: readonly Key[];
    /** Who writes it, and the condition of the write. */
    written: readonly (readonly [by: string, condition: string])[];
  }[];
}

/** A key as its function makes it. */
export function key<Of extends unknown[]>(by: (...of: Of) => Item, ...of: Of): Key {
  return { name: by.name, item: by(...of) };
}
