/** `GET /api/v1/cache`: what the caller had of its cache this month (shared/calls/cache/README.md "Routes"). */

import { type HttpRequest, jsonReply } from "../../base/http/message.ts";
import { readQuery } from "../../base/http/query.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { formatPoints } from "../../books/billing/points.ts";
import { boundOf } from "../../calls/cache/semantic/evidence.ts";
import type { SemanticPorts } from "../../calls/cache/semantic/ports.ts";
import { monthOf } from "../../calls/cache/statistics.ts";

interface CacheMonthDeps {
  semantic(): Promise<Pick<SemanticPorts, "statistics">>;
}

/** The sums of the UTC month, of the organization or the key's project. Throws `invalid_request`. */
export async function showCacheMonth(
  { query, received_at: now }: Pick<HttpRequest, "query" | "received_at">,
  { key, organization }: Principal,
  deps: CacheMonthDeps,
) {
  readQuery(query, {});
  const project = key.project === "" ? undefined : key.project;
  const { statistics } = await deps.semantic();
  const { saved_points, switched_off, agreed, refuted, ...sums } = await statistics.read(
    organization.id,
    project,
    now,
  );
  const { exact, canonical, semantic, lookups, candidates, confirmed, denied } = sums;
  const isAudited = agreed + refuted > 0;
  return jsonReply({
    object: "cache",
    month: monthOf(now),
    project: project ?? null,
    hits: { exact, canonical, semantic },
    saved_points: formatPoints(saved_points),
    semantic: {
      lookups,
      candidates,
      judged: { confirmed, denied },
      audited: { agreed, refuted },
      wrong_share_below: isAudited ? roundedUp(boundOf({ ...sums, agreed, refuted, off_until: 0 })) : null,
      switched_off,
    },
  });
}

/** A bound that is rounded must still be one. */
function roundedUp(share: number): number {
  return Math.ceil(share * 10_000) / 10_000;
}
