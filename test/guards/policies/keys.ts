/** What a change of a key does to its next call. */
import type { Row } from "#test/guards/guard.ts";

const budgets = "shared/edges/store/key-budgets";
const revisions = "shared/edges/api/key-revisions";

export const keys: Row[] = [
  {
    id: "revisions-1",
    test: `${budgets} › is exact where the process dies before it has taken anything back`,
    guard: "if (budgetOf(own) && at < first_until) return firstShard;",
    without: "",
  },
  {
    id: "revisions-2",
    test: `${budgets} › is not given to other shards by a process that knows the higher one`,
    guard: "if (purses.some(({ budget }) => budget)) when.push(...marks.map(absent));",
    without: "",
  },
  {
    id: "revisions-3",
    test: `${revisions} › of the old secret is refused once another rotation or a revocation ends it`,
    guard: "if (key?.old?.hash !== hash) return undefined;",
    without: "if (!key?.old) return undefined;",
  },
  {
    id: "revisions-4",
    test: `${revisions} › a manager's key is shown to nobody but whom it descends from`,
    guard:
      'if (!key.permissions.includes("manage_keys") || (person !== undefined && person === personOf(key))) return;',
    without: "if (person !== undefined) return;",
  },
  {
    id: "revisions-5",
    test: "shared/edges/api/key-rotation › the old secret stays in force where the rotation happened and its process was told of a conflict",
    guard: "if (record.hash === made) return record;",
    without: "",
  },
];
