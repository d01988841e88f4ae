/** Changes what a process says to DynamoDB on its way there: the seat of mutants below the store. */
import type { Transport } from "#shared/platform/aws.ts";
import type { Item } from "#shared/store/attributes.ts";

/** A write, alone or as part of a transaction. */
export interface Write {
  Key?: Item;
  Item?: Item;
  ConditionExpression?: string | undefined;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

/** A transport that shows each write of these actions to `change`, which may alter it. */
export function changing(inner: Transport, changed: string, change: (write: Write) => void): Transport {
  return (service, action, body) => {
    if (action !== changed) return inner(service, action, body);
    const input = JSON.parse(body) as Write & { TransactItems?: Record<string, Write>[] };
    for (const write of input.TransactItems?.flatMap((item) => Object.values(item)) ?? [input]) change(write);
    return inner(service, action, JSON.stringify(input));
  };
}
