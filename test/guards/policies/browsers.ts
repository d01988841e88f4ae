/** Pages of other origins, and the id that names a request. */
import type { Row } from "#test/guards/guard.ts";

export const browsers: Row[] = [
  {
    id: "browsers-1",
    test: "shared/base/http/cors › asks nobody: %s %s",
    guard: "answerPreflight(request) ?? ",
    in: "calls/gateway/entrance.ts",
    without: "",
  },
  {
    id: "browsers-2",
    test: "shared/base/http/cors › a page reads what stands behind a key, and makes, changes and revokes none",
    guard: '  "change_key",\n',
    without: "",
  },
  {
    id: "browsers-3",
    test: "shared/base/http/cors › OpenAI's SDK answers, streams, and shows errors with their request",
    guard: '"access-control-expose-headers": exposed.join(", "),',
    without: "",
  },
  {
    id: "browsers-4",
    test: "shared/base/http/cors › is not told again what is no list of names (%#)",
    guard: "isNames(asked) && {",
    without: "{",
  },
  {
    id: "browsers-5",
    test: "sdk/request-ids › every kind of error of a messages route names its request",
    guard: "{ ...detail, headers, request_id }",
    without: "{ ...detail, headers }",
  },
  {
    id: "browsers-6",
    test: "sdk/request-ids › Anthropic's SDK, and its errors name it in their body too",
    guard: '...(anthropic ? { "request-id": request.id } : {}),',
    without: "",
  },
  {
    id: "browsers-7",
    rule: "a web page reads and writes nothing of the stand-ins of this machine",
    test: "infra/local/emulators/loopback › loopback has three names, with any port",
    guard: "(headers.origin === undefined || origin.test(headers.origin))",
    without: "origin",
  },
  {
    id: "browsers-8",
    rule: "a web page does not find the embedded database, which answers everybody",
    test: "infra/local/emulators/loopback › the database itself is at an address of its own, which a page would have to guess",
    guard: "[127, randomInt(1, 255), randomInt(256), randomInt(2, 255)]",
    without: "[127, 0, 0, 1]",
  },
];
