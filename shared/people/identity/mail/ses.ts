/** Amazon SES (people/identity/mail/README.md), over its official client. */
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { SendRefused } from "../send-once.ts";
import type { MailService, MailSettings } from "./port.ts";

/** What the client throws. Only a service's answer has a status. */
interface ClientError {
  name?: string;
  $metadata?: { httpStatusCode?: number };
}

/**
 * Sends over SES, under the function's own role. Recipient, subject and bodies are members of a request, never lines of
 * a header. The client would repeat a request by itself, which could send twice.
 */
export function ses({ from, endpoint }: MailSettings, timeoutMs: number): MailService {
  const client = new SESv2Client({
    ...(endpoint !== undefined && { endpoint }),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });
  return async (to, { subject, text, html, headers }) => {
    const command = new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: utf8(subject),
          Body: { Text: utf8(text), Html: utf8(html) },
          ...(headers && { Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) }),
        },
      },
    });
    await client.send(command).catch((error: ClientError) => {
      const status = error.$metadata?.httpStatusCode;
      throw status === undefined ? error : new SendRefused(error.name, status);
    });
  };
}
