/** An authenticator in software: it makes passkeys and signs with them, as browsers hand its answers on. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

type Cbor = number | string | Buffer | Map<number | string, Cbor>;

/** What CBOR writes before a value of a kind (RFC 8949 §3). */
function head(kind: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(kind << 5) | size]);
  return size < 256
    ? Buffer.from([(kind << 5) | 24, size])
    : Buffer.from([(kind << 5) | 25, size >> 8, size & 255]);
}

function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const pairs = [...value].flatMap(([key, each]) => [cbor(key), cbor(each)]);
  return Buffer.concat([head(5, value.size), ...pairs]);
}

/** What a ceremony asks for, as far as the authenticator reads it. */
interface Asked {
  challenge: string;
  rp?: { id?: string };
  rpId?: string;
  user?: { id: string };
}

/** How an answer differs from the right one. */
export interface Played {
  origin?: string;
  challenge?: string;
  /** Flags: user present 1, user verified 4, backup eligible 8, backed up 16. */
  flags?: number;
  counter?: number;
  userHandle?: string;
  /** A statement about the authenticator, in place of none. */
  attestation?: { fmt: string; statement: Map<string, Cbor> };
  /** Signs with another key. */
  key?: KeyObject;
}

/** One credential, kept for the page at `origin`. */
export function newAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(20);
  let owner = "";
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const coordinates = [x, y].map((text) => Buffer.from(text, "base64url"));
  const cose = new Map<number, Cbor>([
    ...([
      [1, 2],
      [3, -7],
      [-1, 1],
    ] as const),
    [-2, coordinates[0] ?? Buffer.of()],
    [-3, coordinates[1] ?? Buffer.of()],
  ]);
  const clientData = (type: string, challenge: string, played: Played) =>
    Buffer.from(
      JSON.stringify({ type, challenge: played.challenge ?? challenge, origin: played.origin ?? origin }),
    );
  const authData = (rp: string, flags: number, counter: number, more: Buffer = Buffer.of()) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash("sha256").update(rp).digest(), Buffer.of(flags), count, more]);
  };
  const wrapped = (response: object) => ({
    ...{ id: id.toString("base64url"), rawId: id.toString("base64url"), type: "public-key" },
    ...{ response, clientExtensionResults: {}, authenticatorAttachment: "platform" },
  });

  return {
    /** The answer to the options of a new passkey. */
    make(options: unknown, played: Played = {}) {
      const { challenge, rp, user } = options as Asked;
      owner = user?.id ?? "";
      const size = Buffer.of(0, id.length);
      const credential = Buffer.concat([Buffer.alloc(16), size, id, cbor(cose)]);
      const data = authData(rp?.id ?? "", 0x40 | (played.flags ?? 29), played.counter ?? 0, credential);
      const { fmt = "none", statement = new Map() } = played.attestation ?? {};
      const object = new Map<string, Cbor>([
        ["fmt", fmt],
        ["attStmt", statement],
        ["authData", data],
      ]);
      return wrapped({
        clientDataJSON: clientData("webauthn.create", challenge, played).toString("base64url"),
        attestationObject: cbor(object).toString("base64url"),
        transports: ["internal"],
      });
    },

    /** The answer to the options of a sign-in. */
    sign(options: unknown, played: Played = {}) {
      const { challenge, rpId = "" } = options as Asked;
      const client = clientData("webauthn.get", challenge, played);
      const data = authData(rpId, played.flags ?? 29, played.counter ?? 0);
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      return wrapped({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: sign("sha256", signed, played.key ?? privateKey).toString("base64url"),
        userHandle: played.userHandle ?? owner,
      });
    },
  };
}
