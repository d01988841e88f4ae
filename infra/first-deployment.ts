/** What decides whether a deployment is a stage's first (deploy.ts). */
import { parseArgs } from "node:util";
import type { Stack } from "@aws-sdk/client-cloudformation";

/** What a deployment needs to know of the arguments that `cdk` gets. */
interface Settings {
  stage?: string;
  /** The folder of the stages' files. */
  stages?: string;
  protection?: string;
  /** The profile of AWS's shared configuration. */
  profile?: string;
}

/**
 * Reads the arguments as `cdk` does: `-c NAME=VALUE` or `--context NAME=VALUE`, the last of a name, or else what
 * `cdk.json` has in its `context`. Every other argument is left to `cdk`.
 */
export function settingsOf(args: readonly string[], context: object): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: { context: { type: "string", short: "c", multiple: true }, profile: { type: "string" } },
    strict: false,
    allowPositionals: true,
  });
  const pairs = (values.context ?? []).map((each): [string, string] => {
    const [name = "", ...value] = String(each).split("=");
    return [name, value.join("=")];
  });
  const { stage, stages, protection }: Settings = { ...context, ...Object.fromEntries(pairs) };
  return {
    ...(stage && { stage }),
    ...(stages && { stages }),
    ...(protection && { protection }),
    ...(values.profile && { profile: String(values.profile) }),
  };
}

/** Whether the stack has been created. From then on it holds what must not be lost, whatever becomes of an update. */
export function isCreated(stack: Pick<Stack, "StackStatus"> | undefined): boolean {
  return /^(CREATE_COMPLETE$|UPDATE_|IMPORT_)/.test(stack?.StackStatus ?? "");
}

/** Whether the creation of the stack has failed. Such a stack can only be deleted. */
export function isLost(stack: Pick<Stack, "StackStatus"> | undefined): boolean {
  return /^ROLLBACK_(COMPLETE|FAILED)$/.test(stack?.StackStatus ?? "");
}
