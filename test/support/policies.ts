/** A pipeline whose caller has policies of levels, over the three models of `useFallbacks`. */
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import type { LevelPolicy, Policy } from "#shared/books/accounts/policy.ts";
import type { Answer } from "./call.ts";
import { type providers, useFallbacks } from "./fallback.ts";
import { chatBody, chatPath } from "./scenario.ts";

export const policyHolders = ["organization", "project", "member", "key"] as const;
export type PolicyHolder = (typeof policyHolders)[number];
const member = "user_01M81Z5H5K9AHWPQ118FTWPX14";

/** The row of each level that has a policy here, of the project `search` and of one member. */
function policyRowsOf(policies: Partial<Record<PolicyHolder, Policy>>): LevelPolicy[] {
  const ids = { organization: "", project: "search", member };
  return (["organization", "project", "member"] as const).flatMap((level): LevelPolicy[] => {
    const policy = policies[level];
    return policy ? [{ level, id: ids[level], policy }] : [];
  });
}

/** Registers a fresh pipeline for each test of the file. */
export function usePolicies() {
  const world = useFallbacks();
  return {
    world,
    /** Goes on with a new key of the project and the member, whose levels have these policies. */
    bound(policies: Partial<Record<PolicyHolder, Policy>>, change: Partial<KeyRecord> = {}): void {
      const rows = policyRowsOf(policies);
      const organization: Partial<Organization> = rows.length > 0 ? { policies: rows } : {};
      const own = policies.key ? { policy: policies.key } : {};
      const key = { project: "search", created_by: member, ...own, ...change };
      world.key = world.memory.addKey(key, organization);
    },
    ask: async (
      body: object = chatBody,
      path = chatPath,
      headers: Record<string, string> = {},
    ): Promise<Answer> => await world.send(path, { body, headers }),
    /** What was held, written and asked. */
    done: () => [world.memory.holds, world.memory.intents, world.asked()],
    /** The body that a provider was sent last. */
    sent: (name: (typeof providers)[number] = "one") =>
      JSON.parse(String(world.upstreams[name].requests.at(-1)?.body)) as Record<string, unknown>,
  };
}

export const geminiBody = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
export const geminiPath = (action: string) => `/api/v1beta/models/test%2Fmodel-1:${action}`;
export const converseBody = { messages: [{ role: "user", content: [{ text: "Hi" }] }] };
export const conversePath = "/model/test%2Fclaude-1/converse";
