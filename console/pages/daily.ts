/** The pages that one file loads together, by their ids (registry.ts). */
export { Page as audit } from "./audit.tsx";
export { Page as calls } from "./calls.tsx";
export { Page as docs } from "./docs.tsx";
export { Page as invoices } from "./invoices.tsx";
export { Page as join } from "./join.tsx";
export { Page as keys } from "./keys.tsx";
export { Page as limits } from "./limits.tsx";
export { Page as members } from "./members.tsx";
export { Page as models } from "./models.tsx";
export { Page as plan } from "./plan.tsx";
export { Page as playground } from "./playground.tsx";
export { Page as recharge } from "./recharge.tsx";
export { Page as settings } from "./settings.tsx";
export { Page as statements } from "./statements.tsx";
export { Page as usage } from "./usage.tsx";
