/** The signatures of the services for messages, computed from their documents alone. */
import { createHash, createHmac } from "node:crypto";
import aws4 from "aws4";
import type { Asked } from "./sms-endpoint.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** The parts of `Authorization: <name> Credential=…, SignedHeaders=…, Signature=…`. */
function partsOf({ headers }: Asked) {
  const found = /^\S+ Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
    headers.authorization ?? "",
  );
  const [, credential = "", signed = "", signature = ""] = found ?? [];
  return { credential, signed: signed.split(";"), signature };
}

/** Whether a request is signed as Aliyun's V3 has it (ACS3-HMAC-SHA256). */
export function isSignedForAliyun(asked: Asked, { id, secret }: { id: string; secret: string }): boolean {
  const { headers, method, target, body } = asked;
  const [, listed = "", signature = ""] =
    /^ACS3-HMAC-SHA256 Credential=[^,]+,SignedHeaders=([^,]+),Signature=(\w+)$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  const [path = "", query = ""] = target.split("?");
  const canonical = [
    method,
    path,
    query.split("&").sort().join("&"),
    ...listed.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    listed,
    sha256(body),
  ].join("\n");
  const wanted = hmac(secret, `ACS3-HMAC-SHA256\n${sha256(canonical)}`).toString("hex");
  const needed = ["host", "x-acs-action", "x-acs-version", "x-acs-date", "x-acs-content-sha256"];
  return (
    headers.authorization?.includes(`Credential=${id},`) === true &&
    headers["x-acs-content-sha256"] === sha256(body) &&
    needed.every((name) => listed.split(";").includes(name)) &&
    signature === wanted
  );
}

/** Whether a request is signed as Tencent Cloud's V3 has it (TC3-HMAC-SHA256). */
export function isSignedForTencent(asked: Asked, { id, secret }: { id: string; secret: string }): boolean {
  const { headers, method, target, body } = asked;
  const { credential, signed, signature } = partsOf(asked);
  const timestamp = String(headers["x-tc-timestamp"]);
  const date = new Date(Number(timestamp) * 1000).toISOString().slice(0, 10);
  const [service = ""] = (headers.host ?? "").split(".");
  const scope = `${date}/${service}/tc3_request`;
  // The port is no part of what is signed.
  const signedValue = (name: string) =>
    name === "host" ? headers.host?.split(":")[0] : String(headers[name]);
  const canonical = [
    method,
    target,
    "",
    ...signed.map((name) => `${name}:${signedValue(name)}`),
    "",
    signed.join(";"),
    sha256(body),
  ].join("\n");
  const text = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical)}`;
  const key = hmac(hmac(hmac(`TC3${secret}`, date), service), "tc3_request");
  const wanted = hmac(key, text).toString("hex");
  return credential === `${id}/${scope}` && signed.includes("host") && signature === wanted;
}

/** Whether a request is signed as AWS has it, by the package `aws4`. */
export function isSignedForAws(asked: Asked, { id, secret }: { id: string; secret: string }): boolean {
  const { headers, method, target, body } = asked;
  const { credential, signed, signature } = partsOf(asked);
  const [, , region = "", service = ""] = credential.split("/");
  const own = Object.fromEntries(signed.map((name) => [name, String(headers[name])]));
  const oracle = aws4.sign(
    { service, region, host: headers.host ?? "", method, path: target, body, headers: own },
    { accessKeyId: id, secretAccessKey: secret },
  );
  const wanted = String(oracle.headers?.Authorization);
  return service === "sms-voice" && wanted.endsWith(`Signature=${signature}`);
}
