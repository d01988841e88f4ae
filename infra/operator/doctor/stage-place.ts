/** What the checks of a deployed stage work on. */
import type { Stack, StackResourceSummary } from "@aws-sdk/client-cloudformation";
import { outputs, stackName } from "../../stage/outputs.ts";
import type { Ask } from "../account/actions.ts";
import type { CatalogHere } from "./catalog-here.ts";
import type { Fetch } from "./gateway.ts";

/** A stage, seen once. */
export interface StagePlace {
  stage: string;
  ask: Ask;
  /** Asks the account in another region. */
  askIn(region: string): Ask;
  /** The region of the stage. */
  region: string;
  fetch: Fetch;
  now: () => number;
  stack: Stack;
  resources: readonly StackResourceSummary[];
  /** What payment platforms call, if the stage's file names it. */
  notifyBase?: string | undefined;
  /** The address that mails come from, if the stage's file names it. */
  mailFrom?: string | undefined;
  /** The catalog that the next deployment from this folder would have. */
  catalog: CatalogHere;
}

/** Whether AWS must refuse to delete what the stage keeps (infra/README.md "Settings of a stage"). */
export function isKept(stage: string): boolean {
  return stage !== "dev";
}

/** The stack of a stage, or undefined where there is none. Rejects where AWS does not say. */
export async function findStack(ask: Ask, stage: string): Promise<Stack | undefined> {
  try {
    const { Stacks } = await ask("cloudformation:DescribeStacks", { StackName: stackName(stage) });
    return Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && error.message.includes("does not exist")) return undefined;
    throw error;
  }
}

/** Everything that the stack of a stage has made. */
export async function listResources(ask: Ask, stage: string): Promise<StackResourceSummary[]> {
  const found: StackResourceSummary[] = [];
  let next: string | undefined;
  do {
    const page = await ask("cloudformation:ListStackResources", {
      StackName: stackName(stage),
      ...(next !== undefined && { NextToken: next }),
    });
    found.push(...(page.StackResourceSummaries ?? []));
    next = page.NextToken;
  } while (next !== undefined);
  return found;
}

/** The value of an output, by our own name for it; undefined where the stack has none. */
export function outputOf(
  { stack }: Pick<StagePlace, "stack">,
  name: keyof typeof outputs,
): string | undefined {
  return stack.Outputs?.find(({ OutputKey }) => OutputKey === outputs[name])?.OutputValue;
}

/**
 * The physical names of the resources of a type. `id` begins their logical ids, which end with a hash of eight digits.
 */
export function namesOf({ resources }: Pick<StagePlace, "resources">, type: string, id?: string): string[] {
  const pattern = id === undefined ? /^/ : new RegExp(`^${id}[0-9A-F]{8}$`);
  return resources.flatMap(({ ResourceType, LogicalResourceId = "", PhysicalResourceId = "" }) =>
    ResourceType === type && pattern.test(LogicalResourceId) ? [PhysicalResourceId] : [],
  );
}
