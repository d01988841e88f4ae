/** Changes what a process says to DynamoDB on its way there: the seat of mutants below the store. */
import type { Transport } from "#shared/base/platform/aws.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";

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

/** The partition that a write is in, and what sorts it there. */
export function partitionOf({ Key, Item }: Write): string {
  return textOf((Key ?? Item)?.pk);
}

export function sortOf({ Key, Item }: Write): string {
  return textOf((Key ?? Item)?.sk);
}

function textOf(attribute: Item[string] | undefined): string {
  return attribute && "S" in attribute ? String(attribute.S) : "";
}
