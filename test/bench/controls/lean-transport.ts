/** A control of the bundles' figures: the gateway's transport to AWS, and nothing else. */
import { awsOptionsFromEnv, createAws } from "#shared/platform/aws.ts";

export const aws = createAws(awsOptionsFromEnv());
