/** The environment of a function on this machine. */
import { devNull } from "node:os";
import type { Endpoints } from "./ready-file.ts";
import { region } from "./template.ts";

/** The stand-ins take any credentials. */
export const localCredentials = { accessKeyId: "local", secretAccessKey: "local" };

/** What the function would see on AWS, and the SDKs' variables for the endpoints. No profile of the developer is read. */
export function environmentOf(own: Record<string, string>, endpoints: Endpoints): Record<string, string> {
  return {
    ...own,
    AWS_REGION: region,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    AWS_ENDPOINT_URL_SFN: endpoints.states,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.events,
  };
}
