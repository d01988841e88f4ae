/** What goes out of use on a meter. */
import type { Row } from "#test/guards/guard.ts";

export const meters: Row[] = [
  {
    id: "meters-1",
    test: "shared/store/meters/leftovers › a wallet keeps marks that are over until a call looks, and no more than 32 calls leave",
    guard: "needsItem(hold) || looksForLeftovers(hold.request)",
    without: "needsItem(hold)",
  },
];
