/** Which calls of one moment one request serves. */
import type { Hold } from "../../../books/meters/hold.ts";

/** Calls whose holds one write takes or ends at most. Its expressions must stay within DynamoDB's limits (aws.md §5). */
export const holdsMax = 10;

/** Groups of at most so many orders that one request can serve: any two of a group can share it. */
export function groupsOf<Order>(
  orders: Order[],
  canShare: (order: Order, other: Order) => boolean,
  most: number,
): Order[][] {
  const groups: Order[][] = [];
  for (const order of orders) {
    const group = groups.find((each) => each.length < most && each.every((other) => canShare(order, other)));
    if (group) group.push(order);
    else groups.push([order]);
  }
  return groups;
}

/** Whether one write can serve both holds: they are two, on one item. */
export function canJoin(hold: Hold, other: Hold): boolean {
  return hold.meter === other.meter && hold.shard === other.shard && hold.request !== other.request;
}
