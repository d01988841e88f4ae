/** What a provider says of a bad request or a failed video never tells a client our key, our account or a host. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact, safeCode } from "#shared/calls/upstreams/redaction.ts";
import { requestRefused } from "#shared/calls/upstreams/refusal.ts";

const secret = "Zq7xT2mLw9RvKp4B";
const told = { secrets: [secret], base_url: "https://models.acme.example/v1" };

/** A key as vendors make them. */
const anySecret = fc.stringMatching(/^[A-Za-z0-9_-]{16,64}$/);

const forms: [string, (text: string) => string][] = [
  ["as it is", (text) => text],
  ["in capitals", (text) => text.toUpperCase()],
  ["in hex", (text) => Buffer.from(text).toString("hex")],
  ["in capital hex", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  ["percent-encoded", (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join("")],
  [
    "half percent-encoded",
    (text) => text.replace(/[aeiouAEIOU0-9-]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
  ],
  ["in base64", (text) => Buffer.from(text).toString("base64")],
  ["in base64 behind one byte", (text) => Buffer.from(`:${text}`).toString("base64")],
  ["in base64 behind a name", (text) => Buffer.from(`user:${text}@`).toString("base64")],
  ["in base64 for URLs", (text) => Buffer.from(`ab${text}`).toString("base64url")],
];

describe("a sentence", () => {
  test.each(forms)("does not quote the key %s", (_, form) => {
    fc.assert(
      fc.property(anySecret, fc.string(), (key, around) => {
        const quoted = form(key);
        const shown = redact(`${around} ${quoted} ${around}`, { ...told, secrets: [key] });
        // No eight characters of the middle, which no neighbour has a share in.
        const middle = quoted.slice(4, -4);
        for (let at = 0; at + 8 <= middle.length; at++) expect(shown).not.toContain(middle.slice(at, at + 8));
      }),
    );
  });

  test("does not quote eight characters of the key, and may have seven", () => {
    for (let at = 0; at + 8 <= secret.length; at++) {
      expect(redact(`key (${secret.slice(at, at + 8)})`, told)).toBe("key ([redacted])");
    }
    expect(redact("key (Zq7xT2m)", told)).toBe("key (Zq7xT2m)");
  });

  test.each([
    "https://models.acme.example/v1/chat",
    "wss://10.0.0.7/socket",
    "models.acme.example",
    "MODELS.acme.example:8443",
    "10.12.0.7",
    "10.12.0.7:8443",
    "[2001:db8::1]:443",
    "2001:db8:0:0:8:800:200c:417a",
    "fe80::1",
    "::1",
    "localhost:8080",
    "vllm-3.inference.svc:9000",
    "gateway.prod.internal",
    "api.openai.com",
  ])("does not name the host %s", (host) => {
    expect(redact(`no answer from ${host} in time`, told)).toBe("no answer from [address] in time");
  });

  test.each([
    "messages.0.content.1.image_url: invalid",
    "Unsupported value at 'input[0].text', use 3.5 or 4.1",
    "Try again at 12:30:45, or 2026-11-22T12:30:45Z",
    "std::string is no type; max_tokens:4096 is too large (limit:8192)",
    "This model's maximum context length is 128000 tokens.",
  ])("is told as it came where it names nothing: %s", (text) => {
    expect(redact(text, told)).toBe(text);
  });

  test("is at most a kilobyte, well formed, on one line, and a key at its cut is redacted", () => {
    fc.assert(
      fc.property(fc.nat(1100), (at) => {
        const shown = redact(`${"é".repeat(at)}${secret}\n\ud83d`, told);
        expect(shown.length).toBeLessThanOrEqual(1024);
        expect(shown).toBe(shown.toWellFormed());
        expect(shown).not.toMatch(/[\r\n]|Zq7xT2mL/);
      }),
    );
  });
});

test("a megabyte is read in a moment, whatever it is made of", () => {
  for (const text of ["bearer ", "sk-", "a.", "%41", "1.", ":", "a:", "aa.bb-", "[::", "http:"]) {
    const spentBefore = process.cpuUsage();
    redact(text.repeat(1_000_000 / text.length), told);
    expect(process.cpuUsage(spentBefore).user, text).toBeLessThan(500_000);
  }
});

describe("a code", () => {
  test.each([
    secret,
    secret.slice(3, 12),
    secret.toLowerCase(),
    Buffer.from(secret).toString("hex"),
    Buffer.from(secret).toString("base64url"),
    "sk-live-0123456789abcdef",
    "org-abcdef123456",
    "AIzaSyA0123456789",
    "10.0.0.7",
    "models.acme.example",
    "api.openai.com",
    "with a space",
    "ключ",
    "x".repeat(65),
  ])("%s is not shown", (code) => {
    expect(safeCode(code, told)).toBeUndefined();
    const body = Buffer.from(JSON.stringify({ error: { message: "no", code } }));
    expect(requestRefused(body, told).detail).toEqual({ message: "no" });
  });

  test.each([
    "context_length_exceeded",
    "invalid_request_error",
    "api_key_invalid",
    "InvalidParameter.TaskType",
    "1214",
    "org_not_found",
  ])("%s is shown", (code) => {
    expect(safeCode(code, told)).toBe(code);
  });

  test("may be a number, and nothing else that is no text", () => {
    const refused = (error: object) => requestRefused(Buffer.from(JSON.stringify({ error })), told).detail;
    expect(refused({ code: 1214 }).upstream_code).toBe("1214");
    expect(refused({ code: { secret } }).upstream_code).toBeUndefined();
    expect(refused({ code: [secret] }).upstream_code).toBeUndefined();
  });
});
