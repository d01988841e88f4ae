/** The operator's command on verification messages. */

import { consoleLimits } from "#shared/base/console-limits.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import { raiseMessages, smsStatus } from "#shared/edges/operator/sms.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { keptSmsSettings } from "#shared/people/identity/sms/settings.ts";
import { type CommandGroup, command, count, flagOf, needed } from "./command.ts";

const status = command({
  words: "sms status",
  what: "shows what sends verification messages, today's messages by country and mails, and stopped blocks of numbers",
  more: "A message counts when it may be sent. A block is stopped for an hour when hardly anybody enters the codes that are sent there. Credentials are never shown.",
  examples: { "": "whether codes go out, and where to" },
  async run({ place }) {
    const { aws, tables, platformsSecretArn } = await place();
    const value = await smsStatus({
      velocity: createVelocity(aws, tables),
      settings: keptSmsSettings(() => readSecret(aws, platformsSecretArn)),
      now: Date.now,
    });
    return { value };
  },
});

const raise = command({
  words: "sms raise",
  what: "lets more messages and mails out today, at once and in all countries",
  more: "They are added to console.smsPerDay and to console.mailsPerDay of the stage until the UTC day ends. Seven in ten are for phones and addresses without an account, and the others are kept for those that have one. Each message costs money, also one that an attacker asked for.",
  flags: {
    messages: needed(
      flagOf("N", `how many more, 1 to ${consoleLimits.smsRaiseMax}`, count(consoleLimits.smsRaiseMax)),
    ),
  },
  examples: { "--messages 500": "500 more messages and 500 more mails today" },
  async run({ place, flags }) {
    const { aws, tables } = await place();
    const value = await raiseMessages(flags.messages, {
      velocity: createVelocity(aws, tables),
      now: Date.now,
    });
    return { value };
  },
});

export const messages: CommandGroup = { title: "Verification messages", commands: [status, raise] };
