/** What the product loads when it is first needed. That takes time that no seed decides, so it is loaded before. */
import "#shared/access/idempotency.ts";
import "#shared/exchange/translation.ts";
import "#shared/cache/semantic/seek.ts";
import "#shared/gateway/cached-call.ts";
import "#shared/gateway/race.ts";
import "#shared/http/pages.ts";
import "#shared/gateway/fallback-call.ts";
import "../../functions/local-operations.ts";
import "#shared/telemetry/open-telemetry.ts";
