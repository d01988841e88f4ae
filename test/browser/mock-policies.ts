/** Policies of the mocked organization. */
import type { LevelPolicy } from "../../console/api-types.ts";

export const policies: LevelPolicy[] = [
  {
    object: "policy",
    level: "organization",
    id: null,
    policy: { providers: ["openai", "anthropic"], addresses: ["203.0.113.0/24", "2001:db8::/32"] },
  },
  {
    object: "policy",
    level: "project",
    id: "search",
    policy: { models: ["openai/*"], max_output_tokens: 4096, switches: [] },
  },
];
