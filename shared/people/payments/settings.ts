/** The secret `platforms` (channels.md "The settings"). What is wrong in it is named, and no value is quoted. */
import type { KeyObject } from "node:crypto";
import { isObject, objectIn } from "../../base/json/fields.ts";
import type { PaymentChannel } from "../../books/catalog/catalog.ts";
import { arePair, privateKeyIn, publicKeyIn, serialNumberIn } from "./rsa-keys.ts";

export interface AlipaySettings {
  appId: string;
  sellerId: string;
  privateKey: KeyObject;
  /** Alipay's. */
  publicKey: KeyObject;
  baseUrl: string;
}

export interface WechatSettings {
  appId: string;
  merchantId: string;
  /** Of our certificate. */
  serialNumber: string;
  privateKey: KeyObject;
  /** The key under which resources of notices are encrypted: 32 bytes. */
  resourceKey: Buffer;
  /** WeChat Pay's keys, by the id that its signatures name. */
  publicKeys: ReadonlyMap<string, KeyObject>;
  /** The id of the one that WeChat Pay is asked to sign with. */
  publicKeyId: string;
  baseUrl: string;
}

export interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  /** In capital letters. */
  currencies: readonly string[];
  baseUrl: string;
}

/** The channels that can be used. */
export interface PlatformSettings {
  alipay?: AlipaySettings;
  wechat?: WechatSettings;
  stripe?: StripeSettings;
}

/** What is wrong with one channel, in a sentence. */
interface SettingsProblem {
  /** Undefined if no channel is meant. */
  name: PaymentChannel | undefined;
  problem: string;
}

/** Currencies with other units at Stripe than in ISO 4217, or a last digit of 0. Another amount would be paid. */
const otherUnits = new Set(["BHD", "IQD", "ISK", "JOD", "KWD", "LYD", "MGA", "MRU", "OMR", "TND", "UGX"]);

/** Names in the secret that another part reads. */
const otherNames = new Set(["sms"]);

/** The channels in the secret's text. An absent or `{}` one does not exist; nor a wrong one, which is a problem. */
export function readPlatformSettings(text: string): {
  settings: PlatformSettings;
  problems: SettingsProblem[];
} {
  const settings: PlatformSettings = {};
  const written = objectIn(text);
  const problems: SettingsProblem[] = [];
  if (!written) problems.push({ name: undefined, problem: "The secret is no JSON object of channels." });
  for (const [name, value] of Object.entries(written ?? {})) {
    if (otherNames.has(name)) continue;
    try {
      if (!isChannel(name)) throw new Wrong(`The secret has ${shown(name)}, which is no channel.`);
      if (!isObject(value)) throw new Wrong(`\`${name}\` is no object.`);
      if (Object.keys(value).length > 0)
        Object.assign(settings, { [name]: readers[name](fieldsOf(name, value)) });
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      problems.push({ name: isChannel(name) ? name : undefined, problem: error.message });
    }
  }
  return { settings, problems };
}

/** A field is missing or wrong. Its message is a sentence for whoever wrote the secret. */
class Wrong extends Error {}

interface ChannelFields {
  /** A text that is not empty. Throws `Wrong`, like all others. */
  text(field: string): string;
  privateKey(field: string): KeyObject;
  publicKey(field: string): KeyObject;
  /** A base URL without a slash at its end; `standard` if it is not given. */
  baseUrl(standard: string): string;
  raw(field: string): unknown;
  wrong(field: string, what: string): Wrong;
}

const readers: { [Name in PaymentChannel]: (fields: ChannelFields) => PlatformSettings[Name] } = {
  alipay: readAlipay,
  wechat: readWechat,
  stripe: readStripe,
};

const isChannel = (name: string): name is PaymentChannel => Object.hasOwn(readers, name);

function readAlipay(fields: ChannelFields): AlipaySettings {
  const privateKey = fields.privateKey("private_key");
  const publicKey = fields.publicKey("alipay_public_key");
  if (arePair(privateKey, publicKey))
    throw fields.wrong("alipay_public_key", "is our application's own key. Alipay's is another one.");
  return {
    appId: fields.text("app_id"),
    sellerId: fields.text("seller_id"),
    privateKey,
    publicKey,
    baseUrl: fields.baseUrl("https://openapi.alipay.com"),
  };
}

function readWechat(fields: ChannelFields): WechatSettings {
  const resourceKey = Buffer.from(fields.text("api_v3_key"), "utf8");
  if (resourceKey.length !== 32) throw fields.wrong("api_v3_key", "has not 32 characters.");
  const privateKey = fields.privateKey("private_key");
  const publicKeys = readPublicKeys(fields);
  for (const publicKey of publicKeys.values())
    if (arePair(privateKey, publicKey))
      throw fields.wrong("public_keys", "has our own key. WeChat Pay's are other ones.");
  const ids = [...publicKeys.keys()];
  const [publicKeyId = ""] = [...ids.filter((id) => id.startsWith("PUB_KEY_ID_")), ...ids];
  return {
    appId: fields.text("appid"),
    merchantId: fields.text("mchid"),
    serialNumber: fields.text("serial_no"),
    privateKey,
    resourceKey,
    publicKeys,
    publicKeyId,
    baseUrl: fields.baseUrl("https://api.mch.weixin.qq.com"),
  };
}

function readPublicKeys(fields: ChannelFields): Map<string, KeyObject> {
  const field = "public_keys";
  const written = fields.raw(field);
  if (!isObject(written) || Object.keys(written).length === 0)
    throw fields.wrong(field, "is no object of ids and keys.");
  return new Map(
    Object.entries(written).map(([id, text]) => {
      const key = typeof text === "string" ? publicKeyIn(text.trim()) : undefined;
      if (typeof text !== "string" || !key)
        throw fields.wrong(field, `has under ${shown(id)} no RSA public key of 2048 bits or more.`);
      const serialNumber = serialNumberIn(text);
      if (serialNumber !== undefined && serialNumber !== id)
        throw fields.wrong(field, `has a certificate under ${shown(id)} whose serial number is another one.`);
      return [id, key];
    }),
  );
}

function readStripe(fields: ChannelFields): StripeSettings {
  const secretKey = fields.text("secret_key");
  if (!/^[sr]k_(?:test|live)_\w+$/.test(secretKey))
    throw fields.wrong("secret_key", "does not begin with sk_live_, sk_test_, rk_live_ or rk_test_.");
  const webhookSecret = fields.text("webhook_secret");
  if (!/^whsec_[\w+/=-]+$/.test(webhookSecret))
    throw fields.wrong("webhook_secret", "does not begin with whsec_.");
  const currencies = fields.raw("currencies");
  if (!Array.isArray(currencies) || currencies.length === 0)
    throw fields.wrong("currencies", "is no list of currencies.");
  for (const currency of currencies) {
    if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency))
      throw fields.wrong("currencies", "has an entry that is no code of three capital letters.");
    if (otherUnits.has(currency))
      throw fields.wrong("currencies", `has ${currency}, which Stripe counts in another unit than ISO 4217.`);
  }
  return {
    secretKey,
    webhookSecret,
    currencies: [...new Set(currencies as string[])],
    baseUrl: fields.baseUrl("https://api.stripe.com"),
  };
}

function fieldsOf(channel: PaymentChannel, written: Record<string, unknown>): ChannelFields {
  const wrong = (field: string, what: string) => new Wrong(`\`${channel}.${field}\` ${what}`);
  const text = (field: string): string => {
    const value = written[field];
    if (value === undefined || value === null || value === "") throw wrong(field, "is missing.");
    if (typeof value !== "string") throw wrong(field, "is no text.");
    // A person copies it, so space around it is no part of it.
    const trimmed = value.trim();
    if (trimmed === "") throw wrong(field, "is missing.");
    return trimmed;
  };
  return {
    text,
    wrong,
    raw: (field) => written[field],
    privateKey(field) {
      const key = privateKeyIn(text(field));
      if (!key) throw wrong(field, "is no RSA private key of 2048 bits or more, in PEM or base64.");
      return key;
    },
    publicKey(field) {
      const key = publicKeyIn(text(field));
      if (!key) throw wrong(field, "is no RSA public key of 2048 bits or more, in PEM or base64.");
      return key;
    },
    baseUrl(standard) {
      if (written.base_url === undefined) return standard;
      const url = text("base_url");
      if (!isBaseUrl(url)) throw wrong("base_url", "is no https:// address without a path.");
      return url.replace(/\/$/, "");
    },
  };
}

/** An origin over TLS. Without TLS only this machine is asked. */
function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.pathname !== "/" || url.search || url.hash || url.username || url.password) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && url.hostname === "127.0.0.1");
}

/** A name that a person wrote. What may be a key that was pasted in the wrong place is not quoted. */
function shown(id: string): string {
  return /^(?:[a-z]{1,16}|PUB_KEY_ID_\w{1,40}|[0-9A-F]{1,40})$/.test(id) ? `\`${id}\`` : "another name";
}
