/** What keeps outsiders of the console from its money and its people: addresses, messages, pages and the log. */
import type { Row } from "#test/guards/guard.ts";

const guard = "shared/people/identity/guard";
const assets = "shared/edges/console/assets";
const senders = "shared/people/identity/sms/sender";

export const consoleRows: Row[] = [
  {
    id: "console-1",
    test: "local/console › a session has the address of its connection, whatever address a header claims",
    guard: "ip: event.requestContext.http.sourceIp,",
    without: 'ip: event.headers["x-forwarded-for"] ?? event.requestContext.http.sourceIp,',
    rule: "no header says where a request comes from",
    in: "functions/console.ts",
  },
  {
    id: "console-2",
    test: `${guard} › 10,000 requests for one prefix from 10,000 addresses send no more than the prefix may have`,
    guard: "most: limits.prefix_hour, warms: true,",
    without: "most: Infinity,",
    rule: "messages cost money, so each of six counts has a limit",
  },
  {
    id: "console-3",
    test: `${guard} › 200 at one moment send no more either, on the embedded database`,
    guard: "  if (full) {\n    if (full === proof)",
    without: "  if (full === null) {\n    if (full === proof)",
    rule: "of requests at one moment, the count that is full decides",
  },
  {
    id: "console-4",
    test: `${guard} › an %s has its own limit`,
    guard: "most: limits.network_hour,",
    without: "most: Infinity,",
  },
  {
    id: "console-5",
    test: `${guard} › an %s has its own limit`,
    guard: "[{ ...countryCount(country, at), ...budget(limits.country_day) }]",
    without: "[]",
  },
  {
    id: "console-6",
    test: `${guard} › an %s has its own limit`,
    guard: "{ ...dayCount(contact.kind, at), ...budget(limits.day) },",
    without: "",
  },
  {
    id: "console-7",
    test: `${guard} › numbers of countries that are not on the list cost nothing`,
    guard: "if (country !== undefined) return country;",
    without: "return country;",
  },
  {
    id: "console-8",
    test: `${guard} › is asked for from the fourth message of an address on`,
    guard: "return warms && sent * 100 >= most * consoleLimits.smsWarmPercent ? 0 : undefined;",
    without: "return undefined;",
    rule: "long before an address is refused, a message from it costs a proof of work",
  },
  {
    id: "console-9",
    test: `${guard} › lets one message pass, and is used up by it`,
    guard: "return proofCount(solved.nonce, solved.ends_at);",
    without: "return { ...proofCount(solved.nonce, solved.ends_at), most: undefined };",
    rule: "an answer to a challenge is good once",
  },
  {
    id: "console-10",
    test: `${guard} › stops the block for an hour, and is told once`,
    guard: "if (block && isPumped(block)) await stopBlock(request.contact.text, at, deps);",
    without: "",
    rule: "a block whose messages nobody completes gets no more",
  },
  {
    id: "console-11",
    test: `${assets} › lets the page load our own files, and ask us and the gateway`,
    guard: "\"script-src 'self'\",",
    in: "shared/edges/console/assets.ts",
    without: "\"script-src 'self' 'unsafe-inline'\",",
    rule: "no text becomes a program",
  },
  {
    id: "console-12",
    test: `${assets} › lets the page load our own files, and ask us and the gateway`,
    guard: "\"require-trusted-types-for 'script'\",",
    in: "shared/edges/console/assets.ts",
    without: "",
  },
  {
    id: "console-13",
    test: `${assets} › names the stage's settings, as text and never as markup`,
    guard: '.replaceAll(\'"\', "&quot;")\n    .replaceAll("<", "&lt;");',
    without: ";",
  },
  {
    id: "console-14",
    test: "shared/people/invoices/statement › shows hostile texts as text, in %s",
    guard: "return text.replaceAll(/[&<>\"']/g,",
    without: "return text.replaceAll(/[&]/g,",
    rule: "a name is text on a statement too",
  },
  {
    id: "console-15",
    in: "console/pipeline.ts",
    test: "shared/edges/console/operations/sign-in-account › of a whole story names no phone, no code and no token",
    guard: "rejection(error, request, route, deps)",
    without: "rejection(error, request, { ...route, path: String(request.body) }, deps)",
    rule: "no log line has a number, a code or a token",
  },
  {
    id: "console-16",
    test: `${senders} › that refuses is one error, and one line with the service's own word and no number`,
    guard: "aboutFailed: { last_four: lastFourOf(message.phone) }",
    without: "aboutFailed: { last_four: message.phone }",
  },
];
