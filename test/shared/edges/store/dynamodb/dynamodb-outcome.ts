/** What DynamoDB answered, reduced to what the store looks at. */
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";

/** What an operation came to, as far as the store looks at it. */
export async function outcome(aws: Aws, action: string, input: object): Promise<unknown> {
  try {
    const { ConsumedCapacity: _, ...answer } = await aws("dynamodb", action as "PutItem", input as never);
    return answer;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const reasons = error.body.CancellationReasons as { Code: string; Item?: Item }[] | undefined;
    return {
      code: error.code,
      item: error.body.Item,
      reasons: reasons?.map(({ Code, Item }) => [Code, Item ?? null]),
    };
  }
}
