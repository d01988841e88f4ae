/**
 * Texts that are sealed in envelopes: AES-256-GCM under a data key of their own, which KMS made and alone can open again.
 * Who may seal need not be able to open.
 */
import type { Aws } from "./aws.ts";
import { decrypt, encrypt } from "./encryption.ts";

/** Whose text it is, by names of ours. KMS and the cipher both open it for this alone. */
export type SealContext = Record<string, string>;

/**
 * Seals a text under a new data key of the KMS key (its ARN): the encrypted data key, a point and the box, in base64url.
 * Some 250 characters and 4/3 of the text. Throws like `Aws`.
 */
export async function seal(aws: Aws, kmsKey: string, text: string, context: SealContext): Promise<string> {
  const made = await aws("kms", "GenerateDataKey", {
    KeyId: kmsKey,
    KeySpec: "AES_256",
    EncryptionContext: context,
  });
  const box = encrypt(Buffer.from(made.Plaintext, "base64"), nameOf(context), Buffer.from(text));
  return `${Buffer.from(made.CiphertextBlob, "base64").toString("base64url")}.${box.toString("base64url")}`;
}

/** The text that was sealed for this context. Throws like `Aws`, and where the box or its context was changed. */
export async function unseal(aws: Aws, sealed: string, context: SealContext): Promise<string> {
  const [blob = "", box = ""] = sealed.split(".");
  const { Plaintext } = await aws("kms", "Decrypt", {
    CiphertextBlob: Buffer.from(blob, "base64url").toString("base64"),
    EncryptionContext: context,
  });
  const key = Buffer.from(Plaintext, "base64");
  return decrypt(key, nameOf(context), Buffer.from(box, "base64url")).toString();
}

function nameOf(context: SealContext): string {
  return JSON.stringify(Object.entries(context).sort());
}
