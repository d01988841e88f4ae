/** The arguments of `npm run deploy`: what it needs of them itself, and what it gives to `cdk`. */
import { parseArgs } from "node:util";

/** What a deployment needs to know of the arguments. */
interface Settings {
  stage?: string;
  /** The folder of the stages' files. */
  stages?: string;
  protection?: string;
  /** The profile of AWS's shared configuration. */
  profile?: string;
  /** The hash of the price changes that somebody has seen. */
  confirmed?: string;
}

const confirmFlag = "--confirm-prices";

/**
 * Reads the arguments as `cdk` does: `-c NAME=VALUE` or `--context NAME=VALUE`, the last of a name, or else what
 * `cdk.json` has in its `context`. Every other argument is left to `cdk`.
 */
export function settingsOf(args: readonly string[], context: object): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      context: { type: "string", short: "c", multiple: true },
      profile: { type: "string" },
      [confirmFlag.slice(2)]: { type: "string" },
    },
    strict: false,
    allowPositionals: true,
  });
  const pairs = (values.context ?? []).map((each): [string, string] => {
    const [name = "", ...value] = String(each).split("=");
    return [name, value.join("=")];
  });
  const { stage, stages, protection }: Settings = { ...context, ...Object.fromEntries(pairs) };
  const confirmed = values[confirmFlag.slice(2)];
  return {
    ...(stage && { stage }),
    ...(stages && { stages }),
    ...(protection && { protection }),
    ...(values.profile && { profile: String(values.profile) }),
    ...(typeof confirmed === "string" && { confirmed }),
  };
}

/** The arguments that `cdk` gets: all but the confirmation of prices, which it does not know. */
export function cdkArguments(args: readonly string[]): string[] {
  return args.filter(
    (each, at) => each !== confirmFlag && !each.startsWith(`${confirmFlag}=`) && args[at - 1] !== confirmFlag,
  );
}
