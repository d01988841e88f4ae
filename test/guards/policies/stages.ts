/** What keeps deployments from leaving something behind, and from charging customers what nobody meant. */
import type { Row } from "#test/guards/guard.ts";

export const stages: Row[] = [
  {
    id: "stages-1",
    test: "deployed/stack › outlives its stack, except in dev, and not the deployment that fails to create it",
    guard: "removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,",
    without: "removalPolicy: RemovalPolicy.RETAIN,",
  },
  {
    id: "stages-2",
    test: "deployed/stack › is created without protection, which changes nothing but that",
    guard: 'return isOn("protection", protection) ? stage : { ...stage, deletionProtection: false };',
    without: "return stage;",
  },
  {
    id: "stages-3",
    test: "infra/stage/first-deployment › in %s is there, and stays protected",
    guard: "/^(CREATE_COMPLETE$|UPDATE_|IMPORT_)/",
    without: "/^(CREATE_COMPLETE|UPDATE_COMPLETE|IMPORT_COMPLETE)$/",
  },
  {
    id: "stages-8",
    test: "deployed/domain › never answers one caller with what another got, not even an error",
    guard: "const keptErrors = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];",
    without: "const keptErrors: number[] = [400];",
  },
  {
    id: "stages-9",
    test: "deployed/domain › never answers one caller with what another got, not even an error",
    guard: "headerBehavior: CacheHeaderBehavior.allowList(...distinguishing),",
    without: "",
  },
  {
    id: "stages-4",
    test: "infra/deploy/price-confirmation › are deployed with the hash of exactly these changes",
    guard: "if (confirmed === hash) {",
    without: "if (confirmed !== undefined) {",
  },
  {
    id: "stages-5",
    test: "infra/deploy/price-confirmation › are shown, and not deployed where nobody can be asked",
    guard: "if (canAsk(terminal, { yes: false, json: false })) {",
    without: "if (!canAsk(terminal, { yes: false, json: false })) return true;\n  else {",
  },
  {
    id: "stages-6",
    test: "deployed/stack › refuses a catalog that offers something else than what was confirmed",
    guard: "if (confirmed !== undefined && confirmed !== digestOf(offer)) {",
    without: 'if (confirmed !== undefined && confirmed === "") {',
  },
  {
    id: "stages-7",
    test: "deployed/stack › refuses a setting of the stage in the context, where the next deployment could forget it",
    guard: "if (misplaced === undefined) return settings;",
    without: "return settings;",
  },
];
