/** Orders of plans: what was promised is what is booked, and the rest is paid back (shared/payments/README.md). */
import type { Row } from "../guard.ts";

const deals =
  "shared/operations/orders/plan-deals › orders that are made %s keep what they promise or become points";
const unsold =
  "shared/operations/orders/plan-changes › with less than an hour left of %s no upgrade is sold for it";

export const planOrders: Row[] = [
  {
    id: "orders-42",
    test: deals,
    guard: "action: action !== quote.action && !isLate,",
    without: "action: false,",
  },
  {
    id: "orders-43",
    test: deals,
    guard: 'starts_at: action === "renew" && !isLate && !isOld && starts_at !== quote.starts_at,',
    without: "starts_at: false,",
  },
  {
    id: "orders-44",
    test: deals,
    guard: "(ends_at !== quote.ends_at || months(starts_at, ends_at) !== months(quote.starts_at, ends_at)),",
    without: "months(starts_at, ends_at) !== months(quote.starts_at, ends_at),",
  },
  {
    id: "orders-45",
    test: deals,
    guard: " || months(starts_at, ends_at) !== months(quote.starts_at, ends_at)),",
    without: "),",
  },
  {
    id: "orders-46",
    test: deals,
    guard: 'from: (isOld ? action === "upgrade" : action !== "buy") && !isLate && !isSame(from, quote.last),',
    without: "from: false,",
  },
  {
    id: "orders-47",
    test: deals,
    guard: 'const isLate = action === "renew" && quote.action === "buy";',
    without: "const isLate = false as boolean;",
  },
  {
    id: "orders-48",
    test: unsold,
    guard: "if (isUpgrade && ends_at - now >= upgradeRestMs)",
    without: "if (isUpgrade)",
  },
  {
    id: "orders-49",
    test: unsold,
    guard: "if (month.ends_at - now < upgradeRestMs)",
    without: "if (month.ends_at < now)",
  },
];
