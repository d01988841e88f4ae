/** What a function finds in its environment on this machine. */
import { devNull } from "node:os";
import type { Endpoints } from "./ready-file.ts";
import { region } from "./template.ts";

/** Credentials for the stand-ins, which check none. */
export const credentials = { accessKeyId: "local", secretAccessKey: "local" };

/**
 * Exactly what the function would see on AWS, and the SDKs' own variables for the endpoints. It reads no profile of the
 * developer's, because on AWS there is none.
 */
export function environmentOf(own: Record<string, string>, endpoints: Endpoints): Record<string, string> {
  return {
    ...own,
    AWS_REGION: region,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
    AWS_ENDPOINT_URL_SFN: endpoints.states,
  };
}
