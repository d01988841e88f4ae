/** Which calls of one moment one write serves. */
import type { Hold } from "../../../books/meters/hold.ts";

/** Calls that one write serves at most. Its expressions must stay within DynamoDB's limits (aws.md §5). */
const joinedMax = 10;

/** Groups that one write each can serve: of one item, not too many, and no hold twice. `holdOf` gives an order's hold. */
export function groupsOf<Order>(orders: Order[], holdOf: (order: Order) => Hold): Order[][] {
  const groups: Order[][] = [];
  for (const order of orders) {
    const fits = (other: Order) => canJoin(holdOf(order), holdOf(other));
    const group = groups.find((each) => each.length < joinedMax && each.every(fits));
    if (group) group.push(order);
    else groups.push([order]);
  }
  return groups;
}

function canJoin(hold: Hold, other: Hold): boolean {
  return hold.meter === other.meter && hold.shard === other.shard && hold.request !== other.request;
}
