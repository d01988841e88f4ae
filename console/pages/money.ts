/** The pages that one file loads together (registry.ts). */
export { Page as Audit } from "./audit.tsx";
export { Page as Docs } from "./docs.tsx";
export { Page as Invoices } from "./invoices.tsx";
export { Page as Members } from "./members.tsx";
export { Page as Plan } from "./plan.tsx";
export { Page as Playground } from "./playground.tsx";
export { Page as Recharge } from "./recharge.tsx";
export { Page as Statements } from "./statements.tsx";
