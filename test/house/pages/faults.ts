/** The faults and threats that the product must bear, as `shared/books/billing/faults.md` shows them. */
import { callFaults, invariants, ownFaults, threats } from "#test/guards/faults.ts";
import { tableOf } from "./page.ts";

type Borne = Readonly<Record<string, readonly string[]>>;

/** The page below its title: sections 5 and 6 of billing.md. */
export function faultsPage(): string {
  return [
    "## 5. Faults",
    "### Invariants",
    tableOf(["#", "What is always true"], Object.entries(invariants)),
    "### In our own processes and stores",
    borne("What goes wrong", ownFaults),
    "### Around a call and its customer",
    borne("What goes wrong", callFaults),
    "## 6. Threats",
    borne("What somebody tries", threats),
  ].join("\n\n");
}

function borne(what: string, rows: Borne): string {
  return tableOf(
    ["#", what, "What must hold"],
    Object.entries(rows).map(([id, words]) => [id, ...words]),
  );
}
