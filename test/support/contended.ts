/** DynamoDB as it is while others write the same items: the embedded one does one request after another. */
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";

/** The same port, whose transactions are cancelled for others that write the same items: so many, by default all. */
export function contended(aws: Aws, times = Number.POSITIVE_INFINITY): Aws {
  let left = times;
  return async (...call) => {
    if (call[1] !== "TransactWriteItems" || left <= 0) return await aws(...call);
    left -= 1;
    const CancellationReasons = [{ Code: "None" }, { Code: "TransactionConflict" }];
    throw new AwsError("TransactionCanceledException", 400, { CancellationReasons });
  };
}
