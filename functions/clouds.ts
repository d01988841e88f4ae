/** The credentials of the clouds, as the role of a process obtains them. */
import type { AwsOptions } from "#shared/base/platform/aws.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { type Clouds, createClouds } from "#shared/calls/upstreams/credentials/index.ts";

/** Nothing is obtained before a call needs it. `aws` is what the process calls AWS with. */
export function cloudsOf(aws: AwsOptions, env: NodeJS.ProcessEnv = process.env): Clouds {
  return createClouds({ aws, sts: env.AWS_ENDPOINT_URL_STS, send, now: Date.now });
}
