/**
 * Orders of plans: what was promised is what is booked, and the rest is paid back (shared/people/payments/README.md).
 */
import type { Row } from "../guard.ts";

const deals =
  "shared/people/orders/plan-deals › orders that are made %s keep what they promise or become points";
const unsold =
  "shared/people/orders/plan-changes › with less than an hour left of %s no upgrade is sold for it";

const refunds = "shared/people/orders/plan-refunds";
const ofPoints = "shared/people/orders/point-refunds";
const law = "shared/books/ledger/points-used";
const withPoints = "shared/people/orders/points-plans";
const early = "shared/people/orders/returned";

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
    guard:
      'const isLate = action === "renew" && quote.action === "buy" && (isOld || starts_at <= quote.starts_at);',
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
  {
    id: "orders-50",
    test: `${ofPoints} › that were used are not paid back because promotional ones came after them`,
    guard: "if (!isWithin(amount, part.most)) throw part.refusal;",
    without: "if (amount === 0) throw part.refusal;",
  },
  {
    id: "orders-51",
    test: `${law} › points that were bought and used are not there again because of promotional ones`,
    guard: '    if (typeof movement === "bigint") wallet.use(movement);\n    else wallet.credit(movement);',
    without:
      '    if (typeof movement !== "bigint") wallet.credit(movement);\n  }\n  for (const movement of movements) {\n    if (typeof movement === "bigint") wallet.use(movement);',
  },
  {
    id: "orders-52",
    test: `${law} › promotional points are used first, and then the oldest bought ones`,
    guard: "...this.lots.filter(({ isBought }) => !isBought),",
    without: "...this.lots.filter(({ isBought }) => isBought && false),",
  },
  {
    id: "orders-53",
    test: `${ofPoints} › are used after promotional ones, the oldest first, and each order pays back its own`,
    guard: "reference: refundReference(id), of: referenceOf(order) }",
    without: "reference: refundReference(id) }",
  },
  {
    id: "orders-54",
    test: `${ofPoints} › what is in flight is not paid back`,
    guard: " - (inFlight > 0n ? inFlight : 0n);",
    without: ";",
  },
  {
    id: "orders-55",
    test: `${refunds} › pays back a part where that is asked for, and never more than is unused`,
    guard: "    most: money,\n    refusal: tooMuch(money, order),",
    without: "    most: leftOf(order),\n    refusal: tooMuch(money, order),",
  },
  {
    id: "orders-56",
    test: `${refunds} › at %s with %d calls of its month pays back its unused part`,
    guard: "const { part, of } = left.part * days.of < days.part * left.of ? left : days;",
    without: "const { part, of } = days;",
  },
  {
    id: "orders-57",
    test: `${refunds} › pays back all of it, and the same time can be bought and paid back again`,
    guard: "ends_at: fee.starts_at, returned: [...returned, fee.starts_at] };",
    without: "ends_at: fee.starts_at, returned };",
  },
  {
    id: "orders-58",
    test: `${refunds} › comes first: the order of the time before it waits`,
    guard: "if (!entry || !fee || !isPaidBy(order, entry))",
    without: "if (!entry || !fee)",
  },
  {
    id: "orders-59",
    test: `${refunds} › is undone: the plan before it runs on, and can be paid back or upgraded again`,
    guard: '  if (action !== "upgrade")\n',
    without: '  if (action !== "renew")\n',
  },
  {
    id: "orders-60",
    test: `${refunds} › of a year pays back its months to come whole, and can be bought anew`,
    guard: "...paidTwice(liveFees(told)),",
    without: "...paidTwice(told),",
  },
  {
    id: "orders-61",
    test: `${refunds} › a renewal that was ordered before its plan was paid back begins at another time, and becomes points`,
    guard: " && (isOld || starts_at <= quote.starts_at);",
    without: ";",
  },
  {
    id: "orders-62",
    test: `${withPoints} › at another price or for another time than was shown, it is refused and nothing is taken`,
    guard: "    checkDeal(deal, quote, method);\n    const order",
    without: "    const order",
  },
  {
    id: "orders-63",
    test: `${withPoints} › repeated with its key, it is the first order, also once the wallet is empty`,
    guard: "const claim = isRefused ? claimOf(asked, from) : undefined;",
    without: "const claim = isRefused ? undefined : claimOf(asked, from);",
  },
  {
    id: "orders-64",
    test: `${withPoints} › is booked at once, with its fee, and takes its price out of the wallet`,
    guard: 'if (order.channel === "points") return 0;',
    without: "",
  },
  {
    id: "orders-65",
    test: `${withPoints} › what was paid with points of an order comes back to that order, and gifts stay gifts`,
    guard: "for (const [lot, taken] of parts.toReversed()) {",
    without: "for (const [lot, taken] of parts) {",
  },
  {
    id: "orders-66",
    test: `${law} › what comes back is used at once where calls have used more than there was`,
    guard: "    this.use(this.#payOwed(this.#owed));\n",
    without: "",
  },
  {
    id: "orders-67",
    test: `${early} › is no part of what is booked, and the payment told later changes nothing`,
    guard: "return (parsePoints(points) * BigInt(keptOf(paid))) / BigInt(amount);",
    without: "return (parsePoints(points) * BigInt(paid.amount)) / BigInt(amount);",
  },
  {
    id: "orders-68",
    test: `${early} › where that is %s, nothing is booked, and the older call of the payment does not change that`,
    guard: "if (fields.length === 0 && wentBack(order, transaction)) return undefined;",
    without: "",
  },
  {
    id: "orders-69",
    test: "shared/edges/console/operations/contention › an organization gets another name, or the answer is 40910 and it has its old one",
    guard: "if (await members.changeOrganization(changes)) return;",
    without: "if (await members.changeOrganization(changes)) return; else break;",
  },
  {
    id: "orders-70",
    test: `${refunds} › a plan whose refund was %s is paid back no second time by a clock that is behind`,
    guard: "  if (!others.some((each) => feeId(each) === feeId(fee)))\n",
    without: "  if (fees.length === 0)\n",
  },
  {
    id: "orders-71",
    test: "shared/books/ledger/paid-periods › the audit finds a fee that is given back twice, also where both refunds end it at nearly one instant",
    guard: "      ...returnedTwice(told),\n",
    without: "",
  },
];
