/** The threats of billing.md §6, each with the test that shows the invariant and the code that keeps it. */
import type { Row } from "./guard.ts";

export const threats: Row[] = [
  {
    id: "S1",
    test: "local/operations › no secret is anywhere in the tables",
    guard: 'shared/platform/api-key.ts: return createHmac("sha256", pepper).update(key).digest("hex");',
    without: "return key;",
  },
  {
    id: "S2",
    test: "faults/threats › that are unknown, revoked, expired or malformed get the same answer to the byte",
    guard:
      'shared/access/authenticate.ts: if (key.status === "revoked") throw new GatewayError("invalid_key");',
    without: 'if (key.status === "revoked") throw new GatewayError("invalid_key", { message: "revoked" });',
    rule: "the lookup is by keyed hash, so its time says nothing of the key",
  },
  {
    id: "S3",
    test: "faults/threats › are 256 random bits that say nothing but their mode",
    guard: 'shared/platform/api-key.ts: randomBytes(32).toString("base64url")',
    without: 'randomBytes(8).toString("base64url")',
    rule: 'design §4 "Keys at rest": no checksum in the key',
  },
  {
    id: "S4",
    test: "faults/threats › that cannot be ours are refused before anything is read or logged: %#",
    guard:
      "shared/access/authenticate.ts: if (key.length > limits.credentialBytesMax || !visibleAscii.test(key))",
    without: "if (false)",
  },
  {
    id: "S5",
    test: "faults/threats › no route but the public ones answers without a key, whatever host or path a header claims",
    guard: "shared/gateway/pipeline.ts: const isPublic = publicOperations.has(route.operation);",
    without: 'const isPublic = publicOperations.has(route.operation) || request.headers["x-forwarded-host"];',
  },
  {
    id: "S6",
    test: "shared/access/authenticate › x-api-key wins, also when it is wrong",
    guard: 'shared/access/authenticate.ts: const key = bare || bearer(authorization ?? "");',
    without: 'const key = authorization ? bearer(authorization) : (bare ?? "");',
    rule: 'design §4 "Credentials": x-api-key wins',
  },
  {
    id: "S7",
    test: "local/operations › keys of another organization do not exist; managing needs the permission",
    guard: 'shared/operations/api/keys.ts: if (!revoked) throw new GatewayError("key_not_found");',
    without: "",
  },
  {
    id: "S8",
    test: "local/operations › keys of another organization do not exist; managing needs the permission",
    guard: 'shared/operations/api/keys.ts: if (!key.permissions.includes("manage_keys")) {',
    without: "if (false) {",
  },
  {
    id: "S9",
    test: "faults/threats › only what the client may set of a protocol reaches the provider, never its credential",
    guard:
      "shared/gateway/attempt.ts: ...protocol.forwardHeaders?.(protocol === client ? request.headers : {}),",
    without: "...request.headers,",
  },
  {
    id: "S10",
    test: "faults/threats › nothing of a request chooses where it goes",
    guard: "shared/gateway/attempt.ts: url: base_url + protocol.upstreamPath(channel.model, call),",
    without: 'url: (request.headers["x-base-url"] ?? base_url) + protocol.upstreamPath(channel.model, call),',
  },
  {
    id: "S11",
    test: "faults/threats › could be fetched by no file but those that call providers and AWS",
    guard: 'shared/chat/media.ts: import type { MediaPart } from "./request.ts";',
    without: "export const stray = () => fetch('http://127.0.0.1');",
    rule: 'design §4 "Client input": the gateway fetches no address that a client sends, so there is no filter to get past',
  },
  {
    id: "S12",
    test: "faults/threats › no name that a client chose breaks out of a header",
    guard: "shared/gateway/headers.ts: names.filter((name) => /^[\\w.$[\\]-]{1,64}$/.test(name))",
    without: "names",
  },
  {
    id: "S13",
    test: "faults/threats › that are joined, as two headers of one name arrive, are no key",
    guard: 'shared/access/authenticate.ts: rest.length === 1 ? (rest[0] ?? "") : "";',
    without: 'rest.length > 0 ? (rest[0] ?? "").split(",")[0] ?? "" : "";',
  },
  {
    id: "S14",
    test: "shared/access/authenticate › neither prompt nor answer nor key is ever logged",
    guard:
      "shared/gateway/attempt.ts: throw refusalOf(reply.status, bytes, { secret, base_url }, sidesOf(admitted, candidate.route));",
    without: "throw new ProviderFault(bytes.toString());",
  },
  {
    id: "S15",
    test: "faults/threats › a provider's account, keys and addresses are taken out of what it says of a bad request",
    guard:
      'shared/upstreams/redaction.ts: text = replaceAll(text, [...addresses, ...hostsOf(base_url)], "[address]");',
    without: "",
  },
  {
    id: "S16",
    test: "shared/access/idempotency › is another call for another key, route or caller",
    guard: "shared/access/idempotency.ts: JSON.stringify([principal.key.id, route.path, key])",
    without: "JSON.stringify([route.path, key])",
    rule: "nothing is shared between callers: an answer is kept for repetitions of its own call alone",
  },
  {
    id: "S17",
    test: "shared/access/idempotency › is given nothing once its key is revoked, cached as it may be",
    guard: "shared/access/idempotency.ts: await authenticate(request, route, new KeyCache(), deps);",
    without: "",
    rule: "nothing is shared between callers: an answer is kept for repetitions of its own call alone",
  },
  {
    id: "S18",
    test: "faults/threats › every answer forbids caching and sniffing, errors too",
    guard: 'shared/gateway/standard-headers.ts: "cache-control": "no-store",',
    without: "",
  },
  {
    id: "S19",
    test: "shared/gateway/metering › absurd counters never break a call: %s",
    guard: 'shared/gateway/meter.ts: return ["usage_clamped"]',
    without: "return []",
    rule: "design §3: what cannot be true is billed as the most that the request could come to, flagged and kept",
  },
  {
    id: "S20",
    test: "shared/gateway/bad-input › max_tokens -1",
    guard: "shared/json/fields.ts: (value as number) < min ||",
    without: "",
  },
  {
    id: "S21",
    test: "shared/gateway/metering › the end of a stream is held until the queue has acknowledged the usage",
    guard: "shared/gateway/meter.ts: const durable = await makeDurable(event, deps);",
    without: "void makeDurable(event, deps); const durable = true;",
  },
  {
    id: "S22",
    test: "local/load › 1,000 calls of 0.1 at once on a balance of 5: exactly 50 admitted, the balance 0, the audit clean",
    guard: 'shared/store/meters/admission-writes.ts: : atLeast("avail", hold.points);',
    without: ': exists("avail");',
  },
  {
    id: "S23",
    test: "shared/store/meters/meters › tells money that is held from money that is gone",
    guard: "shared/store/meters/admission-writes.ts: ...(posted >= points && {",
    without: "...(posted >= 2n * points && {",
  },
  {
    id: "S24",
    test: "shared/access/refusals › is written for once a second, however many come: 30 writes for 10,000",
    guard: "shared/access/refusals.ts: if (known) return { hold, admission: known };",
    without: "",
    rule: "each process writes for one refusal a second of each limit; there is no budget of refusals beside it",
  },
  { id: "S25", not_applicable: "no payment callbacks in this version" },
  {
    id: "S26",
    test: "shared/json/body › depth is bounded before anything recursive runs",
    guard: "shared/json/body.ts: if (++depth > limits.jsonDepthMax) {",
    without: "if (++depth > Infinity) {",
  },
  {
    id: "S27",
    test: "shared/json/body › splicing one value leaves every other byte alone",
    guard: "shared/json/body.ts: parts.push(bytes.subarray(from, start), Buffer.from(text));",
    without: 'parts.push(bytes.subarray(from, start), Buffer.from(text + " "));',
  },
  {
    id: "S28",
    test: "shared/json/body › a key given twice is refused, also when an escape hides it",
    guard: "shared/json/body.ts: return JSON.parse(raw) as string;",
    without: "return raw;",
  },
  {
    id: "S29",
    test: "shared/catalog/catalog › finds providers and plans by their own names only",
    guard: "shared/catalog/models.ts: return Object.hasOwn(record, name) ? record[name] : undefined;",
    without: "return record[name];",
  },
  {
    id: "S30",
    test: "faults/threats › an encoded answer of a provider is refused, so that no bomb is ever inflated",
    guard: "shared/gateway/attempt.ts: if (isEncoded(reply)) throw",
    without: "if (false) throw",
  },
  {
    id: "S31",
    test: "faults/threats › a megabyte of %s is read in a moment",
    guard: "shared/access/authenticate.ts: authorization.split(/\\s+/)",
    without: 'authorization.replace(/\\s{1,2000}$/, "").split(/\\s+/)',
  },
  {
    id: "S32",
    test: "faults/threats › a provider's text cannot forge the end of a stream that crosses",
    guard:
      "shared/protocols/openai-chat/crossing/encoder.ts: renderFrame(JSON.stringify({ ...head, ...members }))",
    without:
      'Buffer.from("data: " + JSON.stringify({ ...head, ...members }).replaceAll("\\\\n", "\\n") + "\\n\\n")',
  },
  {
    id: "S33",
    test: "shared/gateway/image-edits › a form with %s is refused",
    guard: "shared/http/form.ts: if (parts.length === limits.formPartsMax)",
    without: "if (false)",
  },
  {
    id: "S34",
    test: "shared/catalog/catalog › any change of case and punctuation in any name finds its model",
    guard: "shared/catalog/models.ts: byName.get(normalName(name))",
    without: "byName.get(name)",
  },
  {
    id: "S35",
    test: "faults/threats › every answer forbids caching and sniffing, errors too",
    guard: 'shared/gateway/standard-headers.ts: "x-content-type-options": "nosniff",',
    without: "",
  },
  {
    id: "S36",
    test: "local/operations › any range equals the entries in it, for the organization and for a project",
    guard:
      "shared/operations/api/reports.ts: sumRange(deps.ledger, { organization, project }, from, to, group_by)",
    without: 'sumRange(deps.ledger, { organization, project: "" }, from, to, group_by)',
  },
  {
    id: "S37",
    test: "deployed/grants › deletes no item, whatever the role",
    guard: 'infra/tables.ts: { actions: ["dynamodb:PutItem"], partitions: [`${prefixes.entry',
    without: '{ actions: ["dynamodb:PutItem", "dynamodb:DeleteItem"], partitions: [`${prefixes.entry',
  },
  {
    id: "S38",
    test: "faults/threats › what is installed is pinned to the digit, and two packages alone may run a script",
    guard: 'package.json: "zod": "4.6.7"',
    without: '"zod": "^4.6.7"',
  },
];
