/** What keeps a first deployment that fails from leaving anything behind. */
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
    guard: 'return protection === "on" ? stage : { ...stage, deletionProtection: false };',
    without: "return stage;",
  },
  {
    id: "stages-3",
    test: "infra/first-deployment › in %s is there, and stays protected",
    guard: "/^(CREATE_COMPLETE$|UPDATE_|IMPORT_)/",
    without: "/^(CREATE_COMPLETE|UPDATE_COMPLETE|IMPORT_COMPLETE)$/",
  },
];
