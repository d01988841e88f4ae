/** The member `sms` of the platforms' secret (people/identity/sms/README.md "Settings"). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { entryOf, type Fields, isObject, objectIn } from "../../../base/json/fields.ts";

/** How many messages there are at most. */
export interface SmsLimits {
  ip_hour: number;
  network_hour: number;
  prefix_hour: number;
  country_day: number;
}

interface Common {
  limits: SmsLimits;
}

interface SmsCredentials {
  access_key_id: string;
  access_key_secret: string;
}

/** A template or, of AWS, a text by language. The first is for all languages that have none. */
type Templates = Readonly<Record<string, string>>;

export type AliyunSettings = Common &
  SmsCredentials &
  Texts & { service: "aliyun"; sign_name: string; endpoint?: string };

/** `expiry_templates`: of the message that a plan ends. Absent, it is not sent. */
interface Texts {
  templates: Templates;
  expiry_templates?: Templates;
}

export interface TencentSettings extends Common, Texts {
  service: "tencent";
  secret_id: string;
  secret_key: string;
  app_id: string;
  sign_name: string;
  region: string;
  endpoint?: string;
}

/** Without credentials, the function's role is asked. */
export interface AwsSettings extends Common, Texts, Partial<SmsCredentials> {
  service: "aws";
  region?: string;
  /** A phone number, a sender id or a pool, by id or ARN. */
  origination_identity: string;
  configuration_set?: string;
  protect_configuration?: string;
  /** In US dollars, for each part of a message. */
  max_price?: string;
  /** What a country's rules ask for, such as `IN_ENTITY_ID`. */
  country_parameters?: Readonly<Record<string, string>>;
  endpoint?: string;
}

export interface InboxSettings extends Common {
  service: "inbox";
  url: string;
}

export type SmsSettings = AliyunSettings | TencentSettings | AwsSettings | InboxSettings;

/** Undefined where the secret's text has no `sms`. Throws an `Error` that names what is wrong, and quotes no value. */
export function readSmsSettings(text: string): SmsSettings | undefined {
  const secret = objectIn(text);
  if (!secret) throw new Error("platforms: the secret is no JSON object");
  const { sms } = secret;
  if (sms === undefined || sms === null) return undefined;
  if (!isObject(sms)) throw new Error("platforms: sms is no object");
  const read = entryOf(readers, sms.service);
  if (!read) throw new Error(`platforms: sms.service is none of ${Object.keys(readers).join(", ")}`);
  return read(sms, { limits: limitsIn(sms) });
}

/** Reads the settings whenever they are asked for, and parses a text once. */
export function keptSmsSettings(read: () => Promise<string>): () => Promise<SmsSettings | undefined> {
  let kept: { text: string; settings: SmsSettings | undefined } | undefined;
  return async () => {
    const text = await read();
    if (kept?.text !== text) kept = { text, settings: readSmsSettings(text) };
    return kept.settings;
  };
}

type Reader = (sms: Fields, common: Common) => SmsSettings;

const readers: Readonly<Record<string, Reader>> = {
  aliyun: (sms, common) => ({
    ...common,
    service: "aliyun",
    ...texts(sms, ["access_key_id", "access_key_secret", "sign_name"]),
    ...textsIn(sms),
    ...someTexts(sms, ["endpoint"]),
  }),
  tencent: (sms, common) => ({
    ...common,
    service: "tencent",
    ...texts(sms, ["secret_id", "secret_key", "app_id", "sign_name"]),
    ...textsIn(sms),
    region: "ap-guangzhou",
    ...someTexts(sms, ["region", "endpoint"]),
  }),
  aws: (sms, common) => ({
    ...common,
    service: "aws",
    ...texts(sms, ["origination_identity"]),
    ...textsWith({ templates: "{code}", expiry_templates: "{days}" }, textsIn(sms)),
    ...someTexts(sms, ["access_key_id", "access_key_secret", "region", "endpoint", "max_price"]),
    ...someTexts(sms, ["configuration_set", "protect_configuration"]),
    ...(sms.country_parameters !== undefined && { country_parameters: mapIn(sms, "country_parameters") }),
  }),
  inbox: (sms, common) => ({ ...common, service: "inbox", ...texts(sms, ["url"]) }),
};

/** The limits of a stage whose secret says nothing of them. */
export const usualLimits: SmsLimits = {
  ip_hour: consoleLimits.smsOfIpHourMax,
  network_hour: consoleLimits.smsOfNetworkHourMax,
  prefix_hour: consoleLimits.smsOfPrefixHourMax,
  country_day: consoleLimits.smsOfCountryDayMax,
};

function limitsIn({ limits = {} }: Fields): SmsLimits {
  if (!isObject(limits)) throw new Error("platforms: sms.limits is no object");
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(usualLimits, name)) throw new Error(`platforms: sms.limits has no ${name}`);
    if (!Number.isSafeInteger(value) || Number(value) < 0)
      throw new Error(`platforms: sms.limits.${name} is no whole number`);
  }
  return { ...usualLimits, ...limits };
}

/** At least one template for codes. Its names are languages. */
function textsIn(sms: Fields): Texts {
  const isTold = sms.expiry_templates !== undefined;
  return {
    templates: templatesIn(sms, "templates"),
    ...(isTold && { expiry_templates: templatesIn(sms, "expiry_templates") }),
  };
}

function templatesIn(sms: Fields, name: keyof Texts): Templates {
  const templates = mapIn(sms, name);
  if (Object.keys(templates).length === 0) throw new Error(`platforms: sms.${name} is empty`);
  return templates;
}

/** Of AWS the templates are the texts themselves. Each must have its variable. */
function textsWith(variables: Record<keyof Texts, string>, texts: Texts): Texts {
  for (const [name, variable] of Object.entries(variables))
    if (!Object.values(texts[name as keyof Texts] ?? {}).every((text) => text.includes(variable)))
      throw new Error(`platforms: sms.${name} has a text without ${variable}`);
  return texts;
}

function mapIn(sms: Fields, name: string): Readonly<Record<string, string>> {
  const map = sms[name];
  if (!isObject(map) || !Object.values(map).every((each) => typeof each === "string" && each !== ""))
    throw new Error(`platforms: sms.${name} is no object of texts`);
  return map as Record<string, string>;
}

function texts<Name extends string>(sms: Fields, names: readonly Name[]): Record<Name, string> {
  const found = someTexts(sms, names);
  const missing = names.find((name) => !found[name]);
  if (missing !== undefined) throw new Error(`platforms: sms.${missing} is missing`);
  return found as Record<Name, string>;
}

/** A person writes this secret, so space around a value is dropped. */
function someTexts<Name extends string>(sms: Fields, names: readonly Name[]): { [Each in Name]?: string } {
  const found: { [Each in Name]?: string } = {};
  for (const name of names) {
    const text = sms[name];
    if (typeof text === "string") found[name] = text.trim();
  }
  return found;
}
