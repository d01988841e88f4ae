/**
 * The stores' own tests once more, over AWS's clients: those are what the functions that settle, sweep, learn and make
 * videos have. Everywhere else the same tests run over the lean transport, which is the gateway function's.
 */
import { useTransport } from "#test/support/dynamodb.ts";
import "#test/shared/calls/access/replays.test.ts";
import "#test/shared/calls/access/unanswered.test.ts";
import "#test/shared/books/meters/shards.test.ts";
import "#test/shared/edges/store/accounts.test.ts";
import "#test/shared/edges/store/board.test.ts";
import "#test/shared/edges/store/cache-semantic.test.ts";
import "#test/shared/edges/store/ledger/ledger.test.ts";
import "#test/shared/edges/store/meters/extension.test.ts";
import "#test/shared/edges/store/meters/meters.test.ts";
import "#test/shared/edges/store/meters/seizure.test.ts";
import "#test/shared/edges/store/tasks.test.ts";

// The servers start when the tests run, which is after this.
useTransport("clients");
