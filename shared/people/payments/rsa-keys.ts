/** RSA keys as people get them from a platform: PEM, the base64 of it without its lines, or a certificate. */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { consoleLimits } from "../../base/console-limits.ts";

/** The private key in PEM or bare base64, PKCS #8 or #1. Undefined if it is none, or shorter than 2048 bits. */
export function privateKeyIn(text: string): KeyObject | undefined {
  return firstGood(
    text.includes("-----BEGIN")
      ? [() => createPrivateKey(text)]
      : (["pkcs8", "pkcs1"] as const).map(
          (type) => () => createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type }),
        ),
    "private",
  );
}

/** The public key in a text: PEM or bare base64, or the PEM of a certificate. Undefined as `privateKeyIn`. */
export function publicKeyIn(text: string): KeyObject | undefined {
  // Node would take a private key too, and give its public half.
  if (text.includes("PRIVATE KEY")) return undefined;
  return firstGood(
    text.includes("-----BEGIN")
      ? [() => createPublicKey(text)]
      : (["spki", "pkcs1"] as const).map(
          (type) => () => createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type }),
        ),
    "public",
  );
}

/** The serial number of a certificate, in capital hexadecimal digits. Undefined if the text is no certificate. */
export function serialNumberIn(text: string): string | undefined {
  if (!text.includes("BEGIN CERTIFICATE")) return undefined;
  try {
    return new X509Certificate(text).serialNumber;
  } catch {
    return undefined;
  }
}

/** Whether the two are halves of one pair. */
export function arePair(privateKey: KeyObject, publicKey: KeyObject): boolean {
  return createPublicKey(privateKey).equals(publicKey);
}

function firstGood(attempts: (() => KeyObject)[], type: "private" | "public"): KeyObject | undefined {
  for (const attempt of attempts) {
    try {
      const key = attempt();
      const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
      if (key.type === type && key.asymmetricKeyType === "rsa" && bits >= consoleLimits.platformKeyBitsMin)
        return key;
    } catch {
      // OpenSSL's message would say nothing that helps, and the next form may fit.
    }
  }
  return undefined;
}
