/** Organizations' own provider keys in video tasks (calls/upstreams/own-keys.md "Videos"). */
import type { Organization } from "../../books/accounts/account.ts";
import type { OwnKey } from "../../books/accounts/own-key.ts";
import type { OwnFee } from "../../books/billing/own-fee.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import type { OwnTerms } from "../upstreams/own-terms.ts";
import type { Task, TaskKeys } from "./task.ts";

/** The keys that a task of this model keeps, because its polls need the key that made it. */
export function taskKeys(
  { channels }: Pick<Model, "channels">,
  { fee, leads }: OwnTerms,
  { provider_keys = [] }: Pick<Organization, "provider_keys">,
): TaskKeys {
  const keys = provider_keys.filter(({ provider }) => channels.some((each) => each.provider === provider));
  return { keys, fee, leads };
}

/** What a settled task keeps of them: its terms, and no key. */
export function withoutKeys(own: TaskKeys): TaskKeys {
  return { ...own, keys: [] };
}

/** A task that a provider has taken: its id there, and the organization's key that it was made with, if it was. */
export interface TakenTask
  extends Pick<Task, "organization">,
    Omit<NonNullable<Task["upstream"]>, "own_key"> {
  own?: OwnKey;
}

/** Whom to ask about a task; undefined while no provider has it. Throws where the key that made it is not there. */
export function takenTask({ id, organization, upstream, own }: PollableTask): TakenTask | undefined {
  if (!upstream) return undefined;
  const { own_key, ...taken } = upstream;
  if (!own_key) return { organization, ...taken };
  const key = own?.keys.find(({ provider }) => provider === upstream.provider);
  if (!key) throw new TypeError(`task ${id} has lost the organization's key that made it`);
  return { organization, ...taken, own: key };
}

type PollableTask = Pick<Task, "id" | "organization" | "upstream" | "own">;

/**
 * Our fee for a task, where the organization's own key pays for it. Of a task that was sent and not surely taken, that
 * is where such a key was to be asked first.
 */
export function feeOfTask({ submission, upstream, own }: BilledTask): OwnFee | undefined {
  const isOwn = upstream ? upstream.own_key : submission !== "unsubmitted" && own?.leads;
  return isOwn ? own?.fee : undefined;
}

type BilledTask = Pick<Task, "submission" | "upstream" | "own">;
