/** The keys of the sandbox, made anew for each run: of the platforms, and of the merchant that uses them. */
import { generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { promisify } from "node:util";

interface Pair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

type Made = Awaited<ReturnType<typeof makeKeys>>;

/** All that the platforms know, their secrets and the merchant's public halves. */
export type SandboxKeys = Made["keys"];

/** The secret `platforms` for the sandbox (shared/people/payments/channels.md "The settings"). */
export type SandboxSettings = ReturnType<Made["settings"]>;

/** The currencies that Stripe takes here. The yen has no smaller unit. */
const currencies = ["USD", "EUR", "JPY"];

/** Keys that are made when they are first needed: four pairs of RSA take 0.3 s of CPU. */
export class LateKeys {
  readonly #make: () => Promise<Made>;
  #making: Promise<Made> | undefined;
  #made: SandboxKeys | undefined;

  /** `url` is where the platforms are. */
  constructor(url: () => string) {
    this.#make = () => makeKeys(url);
  }

  /** Makes them, unless they are there. Gives the settings of a merchant that may use them. */
  async settings(): Promise<SandboxSettings> {
    this.#making ??= this.#make();
    const { keys, settings } = await this.#making;
    this.#made = keys;
    return settings();
  }

  /** Throws before they are made. */
  get made(): SandboxKeys {
    if (!this.#made) throw new Error("the sandbox has no keys yet");
    return this.#made;
  }
}

/** Makes the keys, and the settings of a merchant that may use them. `url` is where the platforms are. */
async function makeKeys(url: () => string) {
  const makePair = (): Promise<Pair> => promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const [alipayMerchant, alipayOwn, wechatMerchant, wechatOwn] = await Promise.all([
    makePair(),
    makePair(),
    makePair(),
    makePair(),
  ]);
  const digits = (count: number) => Array.from(randomBytes(count), (byte) => byte % 10).join("");
  const hex = (bytes: number) => randomBytes(bytes).toString("hex");
  const keys = {
    alipay: {
      app_id: `2021${digits(12)}`,
      seller_id: `2088${digits(12)}`,
      merchant: alipayMerchant.publicKey,
      own: alipayOwn.privateKey,
    },
    wechat: {
      appid: `wx${hex(8)}`,
      mchid: `19${digits(8)}`,
      /** Of the merchant's certificate. */
      serial_no: hex(20).toUpperCase(),
      merchant: wechatMerchant.publicKey,
      own: wechatOwn.privateKey,
      own_id: `PUB_KEY_ID_${digits(34)}`,
      api_v3_key: hex(16),
    },
    stripe: { secret_key: `sk_test_${hex(24)}`, webhook_secret: `whsec_${hex(24)}` },
  };
  const privateText = ({ privateKey }: Pair) => String(privateKey.export({ type: "pkcs8", format: "pem" }));
  const publicText = ({ publicKey }: Pair) => String(publicKey.export({ type: "spki", format: "pem" }));
  const { app_id, seller_id } = keys.alipay;
  const { appid, mchid, serial_no, api_v3_key, own_id } = keys.wechat;
  const settings = () => ({
    alipay: {
      app_id,
      seller_id,
      private_key: privateText(alipayMerchant),
      alipay_public_key: publicText(alipayOwn),
      base_url: url(),
    },
    wechat: {
      appid,
      mchid,
      serial_no,
      private_key: privateText(wechatMerchant),
      api_v3_key,
      public_keys: { [own_id]: publicText(wechatOwn) } as Record<string, string>,
      base_url: url(),
    },
    stripe: { ...keys.stripe, currencies, base_url: url() },
  });
  return { keys, settings };
}
