/** Parts of budgets may be worth a single call: a seed has few calls, and shards are to share what they spend. */
import { limits } from "#shared/base/limits.ts";

(limits as { partCallsMin: number }).partCallsMin = 1;
