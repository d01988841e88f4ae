/** The operator's command on verification messages. */
import { keptSmsSettings } from "#shared/identity/sms/settings.ts";
import { smsStatus } from "#shared/operations/admin/sms.ts";
import { readSecret } from "#shared/platform/secrets.ts";
import { createVelocity } from "#shared/store/identity/velocity.ts";
import { command, type Group } from "./command.ts";

const status = command({
  words: "sms status",
  what: "shows what sends verification messages, today's messages by country, and stopped blocks of numbers",
  more: "A message counts when it may be sent. A block is stopped for an hour when hardly anybody enters the codes that are sent there. Credentials are never shown.",
  flags: {},
  examples: [{ words: "", what: "whether codes go out, and where to" }],
  async run({ place }) {
    const { aws, tables, platformsSecretArn } = await place();
    const value = await smsStatus({
      velocity: createVelocity(aws, tables),
      settings: keptSmsSettings(() => readSecret(aws, platformsSecretArn)),
      now: Date.now,
    });
    return { value, ok: true };
  },
});

export const messages: Group = { title: "Verification messages", commands: [status] };
