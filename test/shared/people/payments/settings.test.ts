/** The secret `platforms`: which channels exist, and what is said of a wrong one. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";
import { readPlatformSettings } from "#shared/people/payments/settings.ts";
import { otherKeys, platformKeys, settings } from "#test/support/signed-notices.ts";

const der = (key: KeyObject, type: "pkcs8" | "spki") =>
  key.export({ type: type as never, format: "der" }).toString("base64");

/** What is wrong with these settings, by the name of the channel. */
function problemsOf(written: object): Record<string, string> {
  const { problems } = readPlatformSettings(JSON.stringify(written));
  return Object.fromEntries(problems.map(({ name = "", problem }) => [name, problem]));
}

const namesOf = (written: object) => Object.keys(readPlatformSettings(JSON.stringify(written)).settings);

test("a name that is no channel is said", () => {
  expect(problemsOf({ alipya: settings.alipay })).toEqual({
    "": "The secret has `alipya`, which is no channel.",
  });
});

test("complete settings give three channels and no problem", () => {
  expect(namesOf(settings)).toEqual(["alipay", "wechat", "stripe"]);
  expect(problemsOf(settings)).toEqual({});
});

test("a channel that is not there, or is empty, does not exist, and nothing is said", () => {
  expect(readPlatformSettings("{}")).toEqual({ settings: {}, problems: [] });
  expect(readPlatformSettings('{"alipay":{},"sms":{"sender":"aliyun"}}')).toEqual({
    settings: {},
    problems: [],
  });
});

describe.each(Object.entries(settings))("%s", (channel, complete) => {
  test.each(Object.keys(complete))("without %s it does not exist, and the field is named", (field) => {
    for (const value of [undefined, "", "   ", null]) {
      const written = { [channel]: { ...complete, [field]: value } };
      expect(namesOf(written)).toEqual([]);
      expect(problemsOf(written)[channel]).toContain(`\`${channel}.${field}\``);
    }
  });

  test("a base URL has to be an origin over TLS, or this machine's", () => {
    const baseUrl = (base_url: unknown) => problemsOf({ [channel]: { ...complete, base_url } })[channel];
    for (const good of ["https://example.com", "https://example.com/", "http://127.0.0.1:9000"])
      expect(baseUrl(good)).toBeUndefined();
    const bad = [
      "http://example.com",
      "https://example.com/x",
      "https://a:b@example.com",
      "ftp://127.0.0.1",
      "x",
      1,
    ];
    for (const each of [...bad, "http://127.0.0.1.example.com", "https://example.com/?a=b"])
      expect(baseUrl(each)).toContain(`\`${channel}.base_url\``);
  });
});

test("keys may be base64 without its lines, as Alipay's tool writes them, with space around", () => {
  const { alipay } = settings;
  const bare = {
    ...alipay,
    private_key: `\n ${der(otherKeys.privateKey, "pkcs8")} \n`,
    alipay_public_key: der(platformKeys.publicKey, "spki"),
  };
  const pkcs1 = String(otherKeys.privateKey.export({ type: "pkcs1", format: "pem" }));
  for (const private_key of [bare.private_key, pkcs1, pkcs1.replace(/-----[^-]+-----|\n/g, "")]) {
    const { alipay: read } = readPlatformSettings(
      JSON.stringify({ alipay: { ...bare, private_key } }),
    ).settings;
    expect(read?.privateKey.equals(otherKeys.privateKey)).toBe(true);
    expect(read?.publicKey.equals(platformKeys.publicKey)).toBe(true);
  }
});

/** Signed by itself; its number is 665644AA704088533D11A16801580CC48525095D. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIDHTCCAgWgAwIBAgIUZlZEqnBAiFM9EaFoAVgMxIUlCV0wDQYJKoZIhvcNAQEL
BQAwHTEbMBkGA1UEAwwSVGVucGF5LmNvbSBzYW5kYm94MCAXDTI2MTEyMzA5MjIy
MloYDzIxMjYxMDMwMDkyMjIyWjAdMRswGQYDVQQDDBJUZW5wYXkuY29tIHNhbmRi
b3gwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCJD1HAFngCX3H8KtF3
tQ2Jkv2RDi6AYHhUv1vjf/fAOwc+UUN9yCUuQGJFtqAytd93DLvSm90t/BmWVgKo
OcEv7Wbst5r+XqvimUBdOj54mCXHz3RCJLdYcS5hhL/D9RpQu0+DxDXZwS89DTQZ
jrNDu5TwQ4ah8Xw5er024bjSaTZR7Uhs+aSN18Jvzij3JfPUmbt6ztt7waYrHxbP
BzNsodIxND6uqVKDX3AXfTXqlj8e8byohEl6KHW70SQChDkuJhLa/Eqt9qCpvwe+
ndOHbh37Gps96gbaX1Eaz2dGAnRf46+znnW0TACdD3BkHLUXScKz7VPCrIniEU2O
hAxTAgMBAAGjUzBRMB0GA1UdDgQWBBR1HghCs4rCZx9TOzYtD2JBuvBEojAfBgNV
HSMEGDAWgBR1HghCs4rCZx9TOzYtD2JBuvBEojAPBgNVHRMBAf8EBTADAQH/MA0G
CSqGSIb3DQEBCwUAA4IBAQBVkZboKfnogeD9Bs2VjPvBzIK+E0k6Fvwj0OTTVFS3
KvMqPBEVkUXvY/xisXLvmOZzwBgaXwCR5flp3rdrePsPKc31aAB8tfeeWH3vNsHK
6I/t7ao7/Btfei/Z9R7FgSnZtW6tpHGUWj2KlLcELNb9SxgxkoxcWH9CtGlcZpnn
4zlSj3LqU9O+xNAjBxcUvev4lmbDPsiXpRwokYdTULlFydn1UIEnOaouT1lfrUk2
4Vlh6d/5KdJvrumRk7RHlOznb2TXa6AfkGjW/LZjnZbiVj6KWvorS4RWsTEAD/7Y
Hf5SZ4Jyig+xhoMk83z8EBwQjfLMyjA/vOCkb3as+YVm
-----END CERTIFICATE-----`;

test("WeChat Pay's keys are certificates under their serial number, or keys under an id, which is asked for first", () => {
  const { wechat } = settings;
  const serialNumber = "665644AA704088533D11A16801580CC48525095D";
  const read = (public_keys: object) =>
    readPlatformSettings(JSON.stringify({ wechat: { ...wechat, public_keys } }));
  const { publicKeys, publicKeyId } =
    read({ [serialNumber]: certificate, ...wechat.public_keys }).settings.wechat ?? {};
  expect([...(publicKeys?.keys() ?? [])]).toEqual([serialNumber, "PUB_KEY_ID_1"]);
  expect(publicKeyId).toBe("PUB_KEY_ID_1");
  expect(read({ [serialNumber]: certificate }).settings.wechat?.publicKeyId).toBe(serialNumber);
  expect(read({ AA: certificate }).problems).toEqual([
    {
      name: "wechat",
      problem: "`wechat.public_keys` has a certificate under `AA` whose serial number is another one.",
    },
  ]);
});

const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });

test.each<[string, object, string]>([
  [
    "a short key",
    { alipay: { ...settings.alipay, private_key: der(short.privateKey, "pkcs8") } },
    "no RSA private key of 2048 bits",
  ],
  [
    "a key of another kind",
    { alipay: { ...settings.alipay, private_key: der(curve.privateKey, "pkcs8") } },
    "no RSA private key",
  ],
  [
    "a private key as Alipay's",
    { alipay: { ...settings.alipay, alipay_public_key: settings.alipay.private_key } },
    "no RSA public key",
  ],
  [
    "our own key as Alipay's",
    { alipay: { ...settings.alipay, alipay_public_key: der(createPublicKey(otherKeys.privateKey), "spki") } },
    "our application's own key",
  ],
  ["a field that is no text", { alipay: { ...settings.alipay, app_id: 2021 } }, "is no text"],
  ["a short resource key", { wechat: { ...settings.wechat, api_v3_key: "0123" } }, "32 characters"],
  ["no public key", { wechat: { ...settings.wechat, public_keys: {} } }, "no object of ids and keys"],
  ["a list of public keys", { wechat: { ...settings.wechat, public_keys: [] } }, "no object of ids and keys"],
  [
    "a public key that is none",
    { wechat: { ...settings.wechat, public_keys: { A: "x" } } },
    "no RSA public key",
  ],
  [
    "our own key as WeChat Pay's",
    {
      wechat: { ...settings.wechat, public_keys: { A: der(createPublicKey(otherKeys.privateKey), "spki") } },
    },
    "our own key",
  ],
  ["a publishable key", { stripe: { ...settings.stripe, secret_key: "pk_test_1" } }, "sk_live_"],
  [
    "a webhook secret of another kind",
    { stripe: { ...settings.stripe, webhook_secret: "sk_test_1" } },
    "whsec_",
  ],
  ["no currency", { stripe: { ...settings.stripe, currencies: [] } }, "no list of currencies"],
  ["a small currency", { stripe: { ...settings.stripe, currencies: ["usd"] } }, "three capital letters"],
  ["a currency with another unit", { stripe: { ...settings.stripe, currencies: ["ISK"] } }, "ISK"],
])("%s is refused with a sentence", (_, written, said) => {
  const [[channel = "", problem = ""] = []] = Object.entries(problemsOf(written));
  expect(problem).toContain(said);
  expect(problem).toMatch(/^`.+\.$/);
  expect(namesOf(written)).not.toContain(channel);
});

test("what cannot be read is said without a word of it", () => {
  const secret = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
  const texts = [
    secret,
    JSON.stringify({ [secret]: {} }),
    `["${secret}"]`,
    JSON.stringify({ [secret.repeat(4)]: {} }),
    JSON.stringify({ alipay: secret }),
    JSON.stringify({ alipay: { ...settings.alipay, private_key: secret } }),
    JSON.stringify({ wechat: { ...settings.wechat, public_keys: { [secret.repeat(4)]: "x" } } }),
    JSON.stringify({ stripe: { ...settings.stripe, secret_key: secret } }),
  ];
  for (const text of texts) {
    const { problems } = readPlatformSettings(text);
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain(secret);
  }
});

describe("the channels of a stage", () => {
  const platformsOf = (texts: string[]) => {
    const lines: object[] = [];
    const platforms = createPaymentPlatforms({
      readSettings: async () => texts[0] ?? "",
      log: (level, event, fields) => lines.push({ level, event, ...fields }),
    });
    return { platforms, lines, texts };
  };

  test("are those of the secret, in their order", async () => {
    const { stripe, alipay } = settings;
    const { platforms } = platformsOf([JSON.stringify({ stripe, alipay })]);
    expect(await platforms.channels()).toEqual(["alipay", "stripe"]);
    expect((await platforms.platform("stripe")).channel).toBe("stripe");
    await expect(platforms.platform("wechat")).rejects.toMatchObject({ key: "payment_channel" });
    await expect(platforms.platform("toString" as never)).rejects.toMatchObject({ key: "payment_channel" });
  });

  test("are made once, and anew when the secret is another one", async () => {
    const { platforms, texts, lines } = platformsOf([JSON.stringify(settings)]);
    const first = await platforms.platform("wechat");
    expect(await platforms.platform("wechat")).toBe(first);
    texts[0] = JSON.stringify({ wechat: { ...settings.wechat, mchid: "2" } });
    expect((await platforms.platform("wechat")).accounts).toEqual({
      appid: settings.wechat.appid,
      mchid: "2",
    });
    expect(await platforms.channels()).toEqual(["wechat"]);
    expect(lines).toEqual([]);
  });

  test("a wrong field is logged once for each text, and the other channels exist", async () => {
    const { alipay, wechat } = settings;
    const { platforms, lines } = platformsOf([JSON.stringify({ alipay, wechat: { ...wechat, appid: "" } })]);
    expect(await platforms.channels()).toEqual(["alipay"]);
    expect(await platforms.channels()).toEqual(["alipay"]);
    expect(lines).toEqual([
      {
        level: "error",
        event: "platform_settings_wrong",
        channel: "wechat",
        reason: "`wechat.appid` is missing.",
      },
    ]);
  });
});
