/** What the console knows of its stage by the environment: what the browser is told, and whom codes go to. */
import { variables } from "#shared/base/platform/env.ts";
import type { ConsoleSettings } from "#shared/edges/console/settings.ts";
import type { ContactKind, ContactRules } from "#shared/people/identity/contact.ts";
import { readCountries } from "#shared/people/identity/phone.ts";

/** What the browser is told of the stage. */
export function consoleSettings(env: NodeJS.ProcessEnv = process.env): ConsoleSettings {
  const inbox_url = env[variables.inboxUrl];
  return {
    gateway_url: (env[variables.gatewayUrl] ?? "").replace(/\/$/, ""),
    ...contactRules(env),
    registration: env[variables.registration] === "closed" ? "closed" : "open",
    ...(inbox_url && { inbox_url }),
  };
}

/** Which phones and addresses the stage sends codes to. */
export function contactRules(env: NodeJS.ProcessEnv = process.env): ContactRules {
  const kinds: ContactKind[] = env[variables.mailFrom] ? ["phone", "email"] : ["phone"];
  return { kinds, countries: readCountries(env[variables.phoneCountries]) };
}
