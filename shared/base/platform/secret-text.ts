/** A secret's text as an operator changes it, if nobody else has (infra/resources/secrets.md "Two who write at once"). */
import { type Aws, AwsError } from "./aws.ts";

/** A text, and which version of the secret it is. */
export interface SecretText {
  text: string;
  version: string;
  /** When this version was written, Unix milliseconds by AWS's clock. */
  written_at: number;
}

export interface SecretStore {
  /** Throws like `Aws`, and an `Error` if the secret holds no text. */
  read(): Promise<SecretText>;
  /** Replaces the text if `before` is still the one that is in force; says whether it was. Throws like `Aws`. */
  replace(before: SecretText, text: string): Promise<boolean>;
}

/** The label of a version that is written, and not in force yet. */
const pending = "gateway-pending";

/** A secret of Secrets Manager, by its ARN or name. */
export function createSecretStore(aws: Aws, id: string): SecretStore {
  const read = async (): Promise<SecretText> => {
    const { SecretString, VersionId, CreatedDate } = await aws("secretsmanager", "GetSecretValue", {
      SecretId: id,
    });
    if (SecretString === undefined || VersionId === undefined || CreatedDate === undefined)
      throw new Error(`the secret ${id} holds no text`);
    // AWS's clients give a `Date`, and the lean transport the seconds of the answer.
    const written_at = CreatedDate instanceof Date ? CreatedDate.getTime() : Number(CreatedDate) * 1000;
    return { text: SecretString, version: VersionId, written_at };
  };
  return {
    read,
    async replace(before, text) {
      // PutSecretValue has no condition, but the move of the label AWSCURRENT from one version to another has one.
      const token = crypto.randomUUID();
      const { VersionId = token } = await aws("secretsmanager", "PutSecretValue", {
        SecretId: id,
        SecretString: text,
        ClientRequestToken: token,
        VersionStages: [pending],
      });
      try {
        await aws("secretsmanager", "UpdateSecretVersionStage", {
          SecretId: id,
          VersionStage: "AWSCURRENT",
          MoveToVersionId: VersionId,
          RemoveFromVersionId: before.version,
        });
        return true;
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        const { version } = await read();
        // The answer to an attempt that moved the label may have been lost.
        if (version === VersionId) return true;
        if (version !== before.version) return false;
        throw error;
      }
    },
  };
}
