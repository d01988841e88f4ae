/** What the product loads when it is first needed. That takes time that no seed decides, so it is loaded before. */
import "#shared/calls/access/idempotency.ts";
import "#shared/calls/access/refused-hold.ts";
import "#shared/calls/access/refused-notes.ts";
import "#shared/calls/exchange/translation.ts";
import "#shared/calls/upstreams/read-refusal.ts";
import "#shared/calls/cache/semantic/seek.ts";
import "#shared/calls/gateway/cached-call.ts";
import "#shared/calls/gateway/race.ts";
import "#shared/calls/gateway/smaller-call.ts";
import "#shared/base/http/pages.ts";
import "#shared/edges/store/key-revisions.ts";
import "#shared/calls/gateway/fallback.ts";
import "../../functions/local-operations.ts";
import "#shared/calls/telemetry/open-telemetry.ts";
