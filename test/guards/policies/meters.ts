/** Settlements that one write makes together, and what goes out of use on a meter. */
import type { Row } from "#test/guards/guard.ts";

export const meters: Row[] = [
  {
    id: "meters-1",
    test: "shared/store/meters/joined-settlements › where one hold is gone the others are settled by themselves",
    guard: "when: [first, ...others].flatMap(({ when = [] }) => when),",
    without: "when: first.when ?? [],",
  },
  {
    id: "meters-2",
    test: "shared/store/meters/joined-settlements › what one of them counts on stays, although another one finds it out of use",
    guard: "for (const name in add) remove.delete(name);",
    without: "",
  },
  {
    id: "meters-3",
    test: "shared/store/meters/joined-settlements › a hold that is settled twice in one tick is settled once",
    guard: "&& hold.request !== other.request",
    without: "",
  },
  {
    id: "meters-4",
    test: "shared/store/meters/leftovers › a wallet keeps marks that are over until a call looks, and no more than 32 calls leave",
    guard: "needsItem(hold) || looksForLeftovers(hold.request)",
    without: "needsItem(hold)",
  },
  {
    id: "meters-5",
    test: "shared/store/meters/joined-settlements › as many unused names go as come, however many calls end together",
    guard: "removalsMax - removed.size",
    without: "Math.floor(removalsMax / endings.length)",
  },
];
