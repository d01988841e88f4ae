import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { adapted, type OpenClient } from "../aws-clients.ts";

/** AWS's client of Secrets Manager for an operator, who changes secrets. Functions only read them. */
export const operatorSecrets: OpenClient = (settings) =>
  adapted(new SecretsManagerClient(settings), {
    GetSecretValue: GetSecretValueCommand,
    PutSecretValue: PutSecretValueCommand,
    UpdateSecretVersionStage: UpdateSecretVersionStageCommand,
  });
