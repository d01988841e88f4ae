/** The words of the pages in pages/daily.ts, by the pages' ids. */
export { words as audit } from "./audit.ts";
export { words as calls } from "./calls.ts";
export { words as docs } from "./docs.ts";
export { words as invoices } from "./invoices.ts";
export { words as join } from "./join.ts";
export { words as keys } from "./keys.ts";
export { words as limits } from "./limits.ts";
export { words as members } from "./members.ts";
export { words as models } from "./models.ts";
export { words as plan } from "./plan.ts";
export { words as playground } from "./playground.ts";
export { words as recharge } from "./recharge.ts";
export { words as settings } from "./settings.ts";
export { words as statements } from "./statements.ts";
export { words as usage } from "./usage.ts";
