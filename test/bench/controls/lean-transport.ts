/** A control of the bundles' figures: the gateway's transport to AWS, which is asked for an item at once. */
import { awsOptionsFromEnv, createAws } from "#shared/base/platform/aws.ts";

const aws = createAws(awsOptionsFromEnv());
// Nothing answers it.
aws("dynamodb", "GetItem", { TableName: "items", Key: { id: { S: "1" } } }).catch(() => {});
