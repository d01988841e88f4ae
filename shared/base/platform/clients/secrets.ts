import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { adapted, type OpenClient } from "../aws-clients.ts";

/** AWS's client of Secrets Manager. */
export const secretsManager: OpenClient = (settings) =>
  adapted(new SecretsManagerClient(settings), { GetSecretValue: GetSecretValueCommand });
