import { required } from "#shared/base/platform/env.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";

/** The names of these tables by the environment. Throws, with the variable, where one is not set. */
export function tablesIn<Name extends keyof TableNames>(
  names: readonly Name[],
  env: NodeJS.ProcessEnv = process.env,
): Pick<TableNames, Name> {
  const named = names.map((name) => [name, required(`${name}Table`, env)]);
  return Object.fromEntries(named) as Pick<TableNames, Name>;
}
