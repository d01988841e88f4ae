/** Signatures of requests to AWS, held against the package `aws4` header by header. */
import aws4 from "aws4";
import fc from "fast-check";
import { expect, test } from "vitest";
import { signedHeaders } from "#shared/platform/signature.ts";

const word = fc.stringMatching(/^[A-Za-z0-9/+=_.-]{1,60}$/);
const credentials = fc.record(
  { accessKeyId: word, secretAccessKey: word, sessionToken: word },
  { requiredKeys: ["accessKeyId", "secretAccessKey"] },
);
const request = fc.record({
  service: fc.constantFrom("dynamodb", "sqs", "secretsmanager", "states"),
  region: fc.constantFrom("us-east-1", "eu-central-1", "cn-north-1"),
  host: fc.constantFrom("dynamodb.us-east-1.amazonaws.com", "127.0.0.1:8000"),
  headers: fc.record({
    "content-type": fc.constantFrom("application/x-amz-json-1.0", "application/x-amz-json-1.1"),
    "x-amz-target": fc.constantFrom("DynamoDB_20120810.UpdateItem", "AmazonSQS.SendMessage"),
  }),
  body: fc.oneof(fc.json(), fc.string({ unit: "grapheme", minLength: 1 })),
});
const instant = fc.integer({ min: 0, max: Date.UTC(2099, 11, 31) });

/** `aws4`'s headers, with names in lower case. */
function oracle({ headers, ...rest }: Parameters<typeof signedHeaders>[0], keys: object, at: number) {
  const date = new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const asked = { ...rest, method: "POST", path: "/", headers: { ...headers, "X-Amz-Date": date } };
  const signed = aws4.sign(asked, keys).headers ?? {};
  return Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

test("are the same for any request, at any time, with any credentials", () => {
  fc.assert(
    fc.property(request, credentials, instant, (asked, keys, at) => {
      expect(signedHeaders(asked, keys, at)).toEqual(oracle(asked, keys, at));
    }),
    { numRuns: 500 },
  );
});

test("follow credentials and days that change", () => {
  const asked = { service: "sqs", region: "us-east-1", host: "h", headers: {}, body: "{}" };
  const signatures = ["a", "b"].flatMap((secretAccessKey) =>
    [0, 86_400_000].map(
      (at) => signedHeaders(asked, { accessKeyId: "id", secretAccessKey }, at).authorization,
    ),
  );
  expect(new Set(signatures).size).toBe(4);
});
