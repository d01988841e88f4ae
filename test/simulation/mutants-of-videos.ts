/** Products that tell webhooks wrongly how a video has ended. */
import type { Transport } from "#shared/base/platform/aws.ts";
import { accountPrefixes } from "#shared/edges/store/dynamodb/account-keys.ts";
import type { Mutation } from "./mutation.ts";
import { partitionOf, type Write } from "./rewriting.ts";

interface Action {
  Put?: Write & { Item: unknown };
}

const isLine = ({ Put }: Action) => Put !== undefined && partitionOf(Put).startsWith(accountPrefixes.audit);

/** The worker's and the sweep's transactions, without their lines of the log. */
const withoutLines =
  (apart: (inner: Transport, put: NonNullable<Action["Put"]>) => Promise<unknown>) => (): Mutation => ({
    transport: (inner, role) => async (service, action, body) => {
      if (action !== "TransactWriteItems" || (role !== "worker" && role !== "sweep"))
        return await inner(service, action, body);
      const input = JSON.parse(body) as { TransactItems: Action[] };
      const lines = input.TransactItems.filter(isLine);
      for (const { Put } of lines) if (Put) await apart(inner, Put);
      const rest = input.TransactItems.filter((each) => !isLine(each));
      return await inner(service, action, JSON.stringify({ ...input, TransactItems: rest }));
    },
  });

/** By name, as those of `mutants.ts`. */
export const mutantsOfVideos: Record<string, () => Mutation> = {
  "tells nobody how a video has ended": withoutLines(async () => {}),
  "tells of a video's end before it is written": withoutLines((inner, put) =>
    inner("dynamodb", "PutItem", JSON.stringify(put)),
  ),
};
