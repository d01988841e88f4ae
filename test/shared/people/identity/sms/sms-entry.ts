/** The senders as the entry of a bundle of their own: what `bundled.test.ts` bundles as a function is bundled. */
export { createSmsSender } from "#shared/people/identity/sms/sender.ts";
export { readSmsSettings } from "#shared/people/identity/sms/settings.ts";
