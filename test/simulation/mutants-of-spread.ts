/** Products that are broken where the hours of an organization are spread over partitions. */
import type { Mutation } from "./mutation.ts";
import { changing, partitionOf } from "./rewriting.ts";

/** The partition of a part of an hour's entries: all before the part, and the part. */
const entryPart = /^(L#[^#]+#[^#]+#)(.)$/;

/** By name, as those of `mutants.ts`. */
export const mutantsOfSpread: Record<string, () => Mutation> = {
  "puts an entry into another part each time": () => {
    let writes = 0;
    return {
      transport: (inner) =>
        changing(inner, "TransactWriteItems", (write) => {
          const [, hour] = entryPart.exec(partitionOf(write)) ?? [];
          if (hour && write.Item) write.Item.pk = { S: `${hour}${writes++ % 10}` };
        }),
    };
  },

  "sees no entry in a part of an hour": () => ({
    transport: (inner, role) => async (service, action, body) => {
      const isRead = role === "sweep" && (action === "Query" || action === "BatchGetItem");
      return await inner(
        service,
        action,
        isRead ? body.replaceAll(/"L#([^"#]+#[^"#]+#\w")/g, '"-#$1') : body,
      );
    },
  }),

  "adds to another part of an hour than readers know": () => ({
    transport: (inner) =>
      changing(inner, "TransactWriteItems", ({ Key: key }) => {
        if (key?.pk && "S" in key.pk) key.pk = { S: String(key.pk.S).replace(/^(R#[^#]+#[^#]*#).$/, "$1*") };
      }),
  }),
};
