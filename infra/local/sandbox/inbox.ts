/**
 * Takes verification messages, and shows their codes on a page (shared/people/identity/sms/README.md "Inbox"). It plays
 * SES too, as far as the product asks it, and shows mails beside them. It also receives webhooks (hooks.ts).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { objectIn } from "#shared/base/json/fields.ts";
import { escapeHtml } from "../dashboard/chart.ts";
import { type Listening, listen } from "../emulators/listen.ts";
import { createLocalServer } from "../emulators/loopback.ts";
import { createHooks } from "./hooks.ts";
import { plainPage } from "./plain-page.ts";

/** A message as the page and `/inbox.json` show it. */
export interface InboxMessage {
  /** One of the two. */
  phone?: string;
  email?: string;
  /** None of a mail with news. */
  code?: string;
  /** Of a mail it is that of its HTML. */
  locale: string;
  /** Of a mail alone. */
  subject?: string;
  text?: string;
  /** The link by which a mailbox turns off such mails. */
  unsubscribe?: string;
  /** RFC 3339. */
  at: string;
}

interface InboxOptions {
  /** Told of each message with a code, such as to print it. */
  onCode?: (message: InboxMessage) => void;
}

/** How many messages are kept. */
const keptMax = 100;
const bodyBytesMax = 16_384;

/** Where SES takes a mail (`SendEmail` of its version 2). */
const sesPath = "/v2/email/outbound-emails";

/** The page has no script and loads nothing. */
const headers = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/**
 * Serves `/`, `/inbox.json` (of one contact: `?phone=`, `?email=`), newest first. Takes messages at `/messages`, and mails.
 * Webhooks are taken at `/hooks`, and shown there and in `/hooks.json`.
 */
export async function startInbox({ onCode }: InboxOptions = {}): Promise<Listening> {
  const messages: InboxMessage[] = [];
  const hooks = createHooks();
  const keep = (message: Omit<InboxMessage, "at">): void => {
    const taken = { ...message, at: new Date().toISOString() };
    messages.unshift(taken);
    messages.length = Math.min(messages.length, keptMax);
    if (taken.code !== undefined) onCode?.(taken);
  };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const message = messageIn(await readText(request));
    if (!message) return send(response, 400, "text/plain", "phone, code and locale are needed\n");
    keep(message);
    response.writeHead(204, headers).end();
  };
  const takeMail = async (request: IncomingMessage, response: ServerResponse) => {
    const mail = mailIn(await readText(request));
    if (!mail) return send(response, 400, "application/json", '{"message":"no mail"}');
    keep(mail);
    send(response, 200, "application/json", JSON.stringify({ MessageId: `local-${Date.now()}` }));
  };
  const takeHook = async (request: IncomingMessage, response: ServerResponse) => {
    const isTaken = hooks.take(request.headers, await readText(request));
    if (isTaken) response.writeHead(204, headers).end();
    else send(response, 400, "text/plain", "This is no message of a webhook.\n");
  };
  const server = createLocalServer((request, response) => {
    // A client that goes away ends its own answer and nothing else.
    response.on("error", () => {});
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://inbox");
    const asked = `${request.method} ${pathname}`;
    // A form of another site cannot send JSON.
    const isJson = request.headers["content-type"] === "application/json";
    if (asked === "POST /messages" && isJson) take(request, response).catch(() => response.destroy());
    else if (asked === `POST ${sesPath}` && isJson)
      takeMail(request, response).catch(() => response.destroy());
    else if (asked === "POST /hooks" && isJson) takeHook(request, response).catch(() => response.destroy());
    else if (asked === "GET /hooks") send(response, 200, "text/html", shownPage("Webhooks", hooks.html()));
    else if (asked === "GET /hooks.json")
      send(response, 200, "application/json", JSON.stringify({ object: "list", data: hooks.messages }));
    else if (asked === "GET /inbox.json") {
      const [phone, email] = [searchParams.get("phone"), searchParams.get("email")];
      const isWanted = (each: InboxMessage) =>
        (phone === null || each.phone === phone) && (email === null || each.email === email);
      const found = messages.filter(isWanted);
      send(response, 200, "application/json", JSON.stringify({ object: "list", data: found }));
    } else if (asked === "GET /") send(response, 200, "text/html", pageOf(messages));
    else
      send(
        response,
        404,
        "text/plain",
        "There are the pages / and /hooks, and /inbox.json and /hooks.json.\n",
      );
  });
  return await listen(server, 0);
}

/** The settings by which a local stage sends to an inbox: one machine has one address, so its counts are high. */
export function inboxSettings({ url }: Pick<Listening, "url">): object {
  const limits = { ip_hour: 10_000, network_hour: 10_000, prefix_hour: 10_000 };
  return { service: "inbox", url: `${url}/messages`, limits };
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...headers, "content-type": `${type}; charset=utf-8` }).end(body);
}

/** The text of a request. Rejects where it is too long, or its client went away. */
async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const piece of request as AsyncIterable<string>) {
    text += piece;
    if (text.length > bodyBytesMax) throw new Error("the message is too long");
  }
  return text;
}

function messageIn(text: string): Omit<InboxMessage, "at"> | undefined {
  try {
    const { phone, code, locale } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (typeof phone === "string" && typeof code === "string" && typeof locale === "string")
      return { phone, code, locale };
  } catch {
    // It is no message.
  }
  return undefined;
}

/** The mail of a request to SES; undefined for what is none of ours. */
function mailIn(text: string): Omit<InboxMessage, "at"> | undefined {
  const asked = (objectIn(text) ?? {}) as Partial<SesRequest>;
  const { Subject, Body, Headers = [] } = asked.Content?.Simple ?? {};
  const [email] = asked.Destination?.ToAddresses ?? [];
  const [words, html] = [Body?.Text?.Data, Body?.Html?.Data];
  if (!email || !words) return undefined;
  // A code stands in a line of its own. Mails of news have figures too.
  const [code] = /^\d{6}$/m.exec(words) ?? [];
  const [, locale = ""] = /<html lang="(\w+)"/.exec(html ?? "") ?? [];
  const [, unsubscribe] =
    /^<(.+)>$/.exec(Headers.find(({ Name }) => Name === "List-Unsubscribe")?.Value ?? "") ?? [];
  const told = { locale, subject: Subject?.Data ?? "", text: words };
  return { email, ...(code && { code }), ...told, ...(unsubscribe && { unsubscribe }) };
}

/** What we read of a request to SES. */
interface SesRequest {
  Destination: { ToAddresses?: string[] };
  Content: {
    Simple?: {
      Subject?: { Data: string };
      Body?: { Text?: { Data: string }; Html?: { Data: string } };
      Headers?: { Name: string; Value: string }[];
    };
  };
}

/** What a mail says, folded. */
function mailShown(subject: string, text: string): string {
  return `<details><summary>${escapeHtml(subject)}</summary><pre>${escapeHtml(text)}</pre></details>`;
}

/** The page, which a browser loads anew every two seconds. */
function pageOf(messages: readonly InboxMessage[]): string {
  const rows = messages.map(
    ({ phone, email, subject, text, code, locale, at }) =>
      `<tr><td>${escapeHtml(phone ?? email ?? "")}${subject === undefined ? "" : mailShown(subject, text ?? "")}</td><td><b>${escapeHtml(code ?? "")}</b></td><td>${escapeHtml(locale)}</td><td><time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(11, 19))} UTC</time></td></tr>`,
  );
  const list =
    messages.length > 0
      ? `<table><thead><tr><th scope="col">To</th><th scope="col">Code</th><th scope="col">Language</th><th scope="col">Sent</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
      : "<p>No code yet. Ask for one on the console's sign-in page.</p>";
  const lead =
    "Verification codes and news that this machine has sent to nobody. A stage sends them as text messages and mails.";
  return shownPage("Inbox", `<p>${lead} <a href="/hooks">Webhooks</a></p>${list}`);
}

const style = `
pre { white-space: pre-wrap; }
b { font-size: 1.25rem; letter-spacing: 0.1em; font-variant-numeric: tabular-nums; }
`;

const shownPage = (title: string, body: string): string =>
  plainPage({ title, body, style, reloadSeconds: 2 });
