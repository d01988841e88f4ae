/** KMS on this machine, as far as the product uses it: data keys, each for one context alone. */
import { randomBytes } from "node:crypto";
import { decrypt, encrypt } from "#shared/base/platform/encryption.ts";
import { actionNamed, JsonRefusal, serveJson } from "./json-protocol.ts";
import type { Listening } from "./listen.ts";

/** What a request asks for, as far as it is known here. */
interface KmsRequest {
  KeyId?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
}

/** Serves data keys under a root key of 32 bytes. Whoever has another root key opens none of them. */
export async function startKms(root: Buffer): Promise<Listening> {
  const actions: Record<string, (asked: KmsRequest) => object> = {
    GenerateDataKey({ KeyId, EncryptionContext }) {
      const key = randomBytes(32);
      const blob = encrypt(root, contextOf(EncryptionContext), key);
      return { KeyId, Plaintext: key.toString("base64"), CiphertextBlob: blob.toString("base64") };
    },
    Decrypt({ CiphertextBlob = "", EncryptionContext }) {
      try {
        const key = decrypt(root, contextOf(EncryptionContext), Buffer.from(CiphertextBlob, "base64"));
        return { Plaintext: key.toString("base64") };
      } catch {
        throw new JsonRefusal("InvalidCiphertextException", "it was not made here, or for another context");
      }
    },
  };
  return await serveJson("1.1", (name, body) =>
    actionNamed(actions, name, "InvalidRequestException")(JSON.parse(body) as KmsRequest),
  );
}

function contextOf(context: KmsRequest["EncryptionContext"] = {}): string {
  return JSON.stringify(Object.entries(context).sort());
}
