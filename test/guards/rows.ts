/** All rows: the faults and threats of billing.md by their numbers, and the product's own policies by topic. */
import { callFaults } from "./call-faults.ts";
import type { Row } from "./guard.ts";
import { audit } from "./policies/audit.ts";
import { billRows } from "./policies/bills.ts";
import { board } from "./policies/board.ts";
import { bodies } from "./policies/bodies.ts";
import { bounds } from "./policies/bounds.ts";
import { browsers } from "./policies/browsers.ts";
import { budgets } from "./policies/budgets.ts";
import { cache } from "./policies/cache.ts";
import { canaries } from "./policies/canaries.ts";
import { channels } from "./policies/channels.ts";
import { consoleRows } from "./policies/console.ts";
import { contacts } from "./policies/contacts.ts";
import { crossings } from "./policies/crossings.ts";
import { dashboard } from "./policies/dashboard.ts";
import { defaults } from "./policies/defaults.ts";
import { dialects } from "./policies/dialects.ts";
import { edge } from "./policies/edge.ts";
import { errors } from "./policies/errors.ts";
import { fallback } from "./policies/fallback.ts";
import { fit } from "./policies/fit.ts";
import { front } from "./policies/front.ts";
import { ids } from "./policies/ids.ts";
import { invitationRows } from "./policies/invitations.ts";
import { invoices } from "./policies/invoices.ts";
import { keyPools } from "./policies/key-pools.ts";
import { keys } from "./policies/keys.ts";
import { learner } from "./policies/learner.ts";
import { machines } from "./policies/machines.ts";
import { matrix } from "./policies/matrix.ts";
import { meanings } from "./policies/meanings.ts";
import { members } from "./policies/members.ts";
import { meters } from "./policies/meters.ts";
import { money } from "./policies/money.ts";
import { news } from "./policies/news.ts";
import { orders } from "./policies/orders.ts";
import { outputs } from "./policies/outputs.ts";
import { ownKeys } from "./policies/own-keys.ts";
import { passkeyRows } from "./policies/passkeys.ts";
import { paths } from "./policies/paths.ts";
import { peppers } from "./policies/peppers.ts";
import { planOrders } from "./policies/plan-orders.ts";
import { plans } from "./policies/plans.ts";
import { levelPolicies } from "./policies/policies.ts";
import { prices } from "./policies/prices.ts";
import { programs } from "./policies/programs.ts";
import { projectRows } from "./policies/projects.ts";
import { reports } from "./policies/reports.ts";
import { restores } from "./policies/restores.ts";
import { routes } from "./policies/routes.ts";
import { routing } from "./policies/routing.ts";
import { scim } from "./policies/scim.ts";
import { semantic } from "./policies/semantic.ts";
import { signIn } from "./policies/sign-in.ts";
import { signOn } from "./policies/sign-on.ts";
import { signatures } from "./policies/signatures.ts";
import { stages } from "./policies/stages.ts";
import { streams } from "./policies/streams.ts";
import { surfaces } from "./policies/surfaces.ts";
import { switches } from "./policies/switches.ts";
import { tags } from "./policies/tags.ts";
import { telemetry } from "./policies/telemetry.ts";
import { thresholds } from "./policies/thresholds.ts";
import { topUps } from "./policies/top-ups.ts";
import { traits } from "./policies/traits.ts";
import { usage } from "./policies/usage.ts";
import { vendorBounds } from "./policies/vendor-bounds.ts";
import { storeFaults } from "./store-faults.ts";
import { threats } from "./threats.ts";

/** F1 to F72 and S1 to S40. */
export const faultsAndThreats: Row[] = [...storeFaults, ...callFaults, ...threats];

/** Rules of charging and of the edge, named after their topic: `streams-1`. */
export const policies: Row[] = [
  ...audit,
  ...billRows,
  ...streams,
  ...outputs,
  ...ownKeys,
  ...orders,
  ...levelPolicies,
  ...planOrders,
  ...bounds,
  ...bodies,
  ...budgets,
  ...money,
  ...news,
  ...meters,
  ...members,
  ...keyPools,
  ...keys,
  ...programs,
  ...projectRows,
  ...reports,
  ...usage,
  ...switches,
  ...plans,
  ...prices,
  ...defaults,
  ...edge,
  ...topUps,
  ...traits,
  ...surfaces,
  ...tags,
  ...telemetry,
  ...thresholds,
  ...crossings,
  ...vendorBounds,
  ...dialects,
  ...browsers,
  ...routes,
  ...signatures,
  ...signIn,
  ...contacts,
  ...scim,
  ...signOn,
  ...passkeyRows,
  ...errors,
  ...paths,
  ...fit,
  ...matrix,
  ...front,
  ...ids,
  ...board,
  ...routing,
  ...cache,
  ...dashboard,
  ...fallback,
  ...learner,
  ...semantic,
  ...meanings,
  ...stages,
  ...peppers,
  ...restores,
  ...canaries,
  ...channels,
  ...consoleRows,
  ...invitationRows,
  ...invoices,
  ...machines,
];

export const rows: Row[] = [...faultsAndThreats, ...policies];
