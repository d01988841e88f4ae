/** The words of the pages in pages/money.ts. */
export { words as audit } from "./audit.ts";
export { words as docs } from "./docs.ts";
export { words as invoices } from "./invoices.ts";
export { words as members } from "./members.ts";
export { words as plan } from "./plan.ts";
export { words as playground } from "./playground.ts";
export { words as recharge } from "./recharge.ts";
export { words as statements } from "./statements.ts";
