/**
 * What the product must bear (billing.md §5 and §6): what is always true, what goes wrong, and what somebody tries.
 * `faults.md` shows it. The rows beside this file have the test that shows what must hold, and what makes it hold.
 */

/** What happens, and what must hold. Links are paths from the root. */
type Borne = readonly [what: string, holds: string];

/** What is always true. The simulation checks it by these names. */
export const invariants = {
  I1: "A meter item balances: granted is what is available, held, seized and used.",
  I2: "The balance is never below zero, but for what billing.md §2.5 allows.",
  I3: "Each call that was sent has exactly one base entry.",
  I4: "Meters and ledger agree when the queue is empty.",
  I5: "Sums equal their entries, at every moment.",
  I6: "There is no entry without an admission.",
  I7: "Who has seen the end of an answer is billed what the provider reported.",
  I8: "No hold outlives its expiry and two sweeps.",
  I9: "A call is charged no more than it held, unless it is flagged `overrun`.",
  I10: "No secret and no prompt is in a log.",
} as const;

/** Faults in our own processes and stores. */
export const ownFaults = {
  F1: ["A process dies before admission is acknowledged.", "Nothing was sent; the hold is swept."],
  F2: ["A process dies after the hold and before the intent.", "The hold goes back whole."],
  F3: [
    "A process dies after admission and before the provider has a byte.",
    "One entry charges the input, as an estimate.",
  ],
  F4: ["A process dies in the middle of a stream.", "One entry charges between nothing and the hold."],
  F5: [
    "A process dies after the queue has the event and before the last chunk.",
    "The entry is exact, and the client has seen no end.",
  ],
  F6: [
    "A process dies after the last chunk and before it has settled.",
    "The entry is exact, and the hold is swept from it.",
  ],
  F7: ["The settling function dies before, in or after its transaction.", "The event is booked once."],
  F8: [
    "The sweep dies after seizing a hold, or after its entry.",
    "The next pass finishes; nothing is settled twice.",
  ],
  F9: ["The answer to an admission is lost, and the write is repeated.", "One hold, one call."],
  F10: ["The answer to a settlement is lost, and the write is repeated.", "It is settled once."],
  F11: [
    "The queue refuses everything for ten minutes.",
    "Events go straight to the ledger; clients see no error.",
  ],
  F12: [
    "Queue and ledger both refuse at a call's end.",
    "The hold stays, an estimate follows, an alarm rings, and the client has its answer.",
  ],
  F13: ["The queue's acknowledgement is lost, and the event is sent twice.", "One entry."],
  F14: ["The queue delivers each event up to five times, in any order, hours late.", "I3, I4 and I5 hold."],
  F15: ["The real event comes after the sweep's estimate.", "It is corrected once, to the true total."],
  F16: [
    "A batch of 100 has one message that cannot be read.",
    "99 are booked, one becomes a dead letter, and the audit names what is missing.",
  ],
  F17: ["Dead letters are brought back twice.", "The second time changes nothing."],
  F18: ["A meter item is throttled.", "After retries the call is 42900. Nothing is sent unmetered."],
  F19: ["The ledger is throttled for 30 seconds.", "Events wait; nothing is lost."],
  F20: ["Many writers meet on one sum.", "Nothing is added twice."],
  F21: ["A transaction times out and was applied.", "The second try finds the entries."],
  F22: ["A transaction's token is used again after its ten minutes.", "The keys decide, not the token."],
  F23: [
    "A process's clock is wrong by seconds, or by a quarter of an hour.",
    "Windows move by at most that, and seizing stays safe.",
  ],
  F24: ["A range names a leap second, 29 February or the turn of a year.", "It is split exactly, in UTC."],
  F25: ["A month ends while a call runs.", "The call counts in the period in which it was admitted."],
  F26: ["A subscription began on the 31st.", "Each month begins on that day or on its last day."],
  F27: [
    "A plan changes within a period.",
    "Calls used stay used. A larger plan holds at once, a smaller one from the next period.",
  ],
  F28: ["A price changes while a call runs.", "The call costs what it did at its admission."],
  F29: ["A price is missing when a call is settled.", "That cannot be: event and entry carry the price."],
  F30: ["Many calls want the last unit of a quota, or the last points.", "Exactly one is admitted."],
  F31: ["A hundred keys of one subscription call at once.", "They share the plan's limits."],
  F32: [
    "A key is revoked during its stream, or between a cached read and admission.",
    "The stream ends and is billed. The next call is 401.",
  ],
  F33: ["An organization is frozen while calls run.", "The same, with 40102."],
} as const satisfies Readonly<Record<string, Borne>>;

/** Faults around a call and its customer. */
export const callFaults = {
  F34: [
    "A client hangs up, at any byte.",
    "It is billed exactly as one that stayed, unless it asked for an earlier end.",
  ],
  F35: [
    "A client does not read.",
    "The provider is held up. After 30 seconds the reader is gone, and its call is billed and settled.",
  ],
  F36: [
    "A provider cannot be reached, or fails before it puts anything out.",
    "Other channels are asked: one entry, one call, free if all fail.",
  ],
  F37: [
    "A provider answers 200 with garbage or with half a JSON.",
    "The answer is an error, and what came is charged as an estimate.",
  ],
  F38: [
    "A provider hangs, before the first byte or between two chunks.",
    "Each phase has a time limit, and the entry has what is known.",
  ],
  F39: ["The function's own time is nearly over.", "The provider is broken off with time left to settle."],
  F40: ["A stream ends without usage.", "It is estimated and flagged, and never free if text was put out."],
  F41: ["Usage comes on every chunk as a running total.", "The last one counts, never their sum."],
  F42: ["Usage is all zeros although text was sent.", "Zero is billed and flagged."],
  F43: [
    "Usage is negative, a fraction, a text, or far too large.",
    "It is clamped to 2⁴⁰ and flagged, and never breaks the call.",
  ],
  F44: ["More is cached than there was input.", "The cached tokens are no more than the input."],
  F45: ["A call costs more than it held.", "It is settled in full, and the next admission is refused."],
  F46: ["A strict stream gets no further step.", "It is stopped within a chunk, and billed for what came."],
  F47: ["A provider fails after it has put something out.", "The call is never sent again."],
  F48: [
    "A client repeats a call with the same `Idempotency-Key`.",
    "One call to the provider. Another body is refused.",
  ],
  F49: [
    "An answer comes out of the [cache](shared/calls/cache/README.md).",
    "It costs nothing and is one call of the quota, with an event of its own.",
  ],
  F50: ["The answer of a call cannot be kept.", "The client still gets it."],
  F51: ["A video's workflow does not start.", "The task is kept and held for, and the sweep starts it."],
  F52: ["A provider loses a video's task.", "It expires with its hold, and an operator decides."],
  F53: ["Two pollers follow one task, or one dies.", "The end is written on a condition, and settled once."],
  F54: [
    "A cancel meets the start of the rendering.",
    "It is one of the two, and 409 where the task is not queued.",
  ],
  F55: ["A provider refuses a cancel or does not answer.", "502, and the task stays as it was."],
  F56: [
    "A video has succeeded, and its address is odd.",
    "The gateway passes it on and never fetches it. It is billed once.",
  ],
  F57: ["A credit comes five times at once.", "It is booked once, by its reference."],
  F58: ["A credit comes again with another amount.", "It is refused."],
  F59: ["A move of money between shards is cut short.", "Both sides are written, or neither."],
  F60: ["Shards are taken out of use while calls are on them.", "Each call settles on its own shard."],
  F61: ["Two holds get the same id.", "It does not arise: clients choose no id (F70)."],
  F62: ["An intent is deleted before the sweep needs it.", "It outlives every sweep by days."],
  F63: [
    "A report is read while much is written.",
    "Its totals are the sums of its models, and do not shrink.",
  ],
  F64: ["An entry comes into a sealed month.", "Hour, day and month all take it, in one transaction."],
  F65: ["A report has a partial hour of a busy customer.", "It equals the entries."],
  F66: ["Old and new code run together.", "Events have a version. An unknown one is poison."],
  F67: [
    "A table is restored from an earlier moment.",
    "The same events can be booked again, and the audit names the gap.",
  ],
  F68: ["A cached key record is old.", "The meter's condition still refuses a revoked key."],
  F69: [
    "A process is frozen with work left to do.",
    "That cannot be: everything is awaited before the next call.",
  ],
  F70: ["Two processes make the same id.", "80 random bits keep them apart."],
  F71: ["One of several holds that one write settles is gone.", "The others are settled, each once."],
  F72: ["The queue takes a batch, but not all of its events.", "A call ends when its own event is durable."],
} as const satisfies Readonly<Record<string, Borne>>;

/** Threats. */
export const threats = {
  S1: ["To read keys from the database.", "Only a keyed hash is stored. A key is shown once."],
  S2: [
    "To tell keys apart by how long a look-up takes.",
    "The look-up is by the hash. Unknown, revoked and malformed keys get the same answer.",
  ],
  S3: ["To guess keys by their prefix.", "256 random bits; a prefix says the billing mode alone."],
  S4: [
    "To inject something through a key's text (CVE-2026-42208 of LiteLLM).",
    "What cannot be a key is refused before it is read or logged.",
  ],
  S5: [
    "To get past authentication by a host or a path (CVE-2026-49468 of LiteLLM).",
    "Only the route decides, and few routes are public.",
  ],
  S6: [
    "To send two credentials.",
    "The first that has the form of a key of ours and is in force counts, `x-api-key` before `Authorization`.",
  ],
  S7: ["To name another customer's key or task.", "A foreign id does not exist."],
  S8: ["To make keys with a key that may not.", "Managing keys needs a permission."],
  S9: [
    "To see the gateway's credential, or pass private headers on.",
    "Only headers on a list are sent on, and the credential is written anew.",
  ],
  S10: ["To have the operator's secret sent elsewhere.", "No value of a request chooses a host."],
  S11: [
    "To make the gateway fetch an address (CVE-2026-108719, GO-2025-4154 and GO-2026-5652 of others).",
    "It fetches no address of a client's.",
  ],
  S12: ["To put lines into a header.", "No emitted header has CR, LF or NUL."],
  S13: ["To send a header twice.", "Joined credentials are no key."],
  S14: ["To find prompts or keys in logs.", "Only listed fields are logged."],
  S15: ["To learn our account from a provider's error.", "Keys, accounts and addresses are taken out."],
  S16: [
    "To get another caller's kept answer, as happened in LiteLLM (29955), semantic-router (2134), OmniRoute (3740), bifrost (5769) and others.",
    "It is kept for repetitions of its own call alone; the [cache](shared/calls/cache/README.md#who-may-hit-what) has rules of its own.",
  ],
  S17: ["To learn from timing that somebody asked the same.", "The same."],
  S18: ["To read an answer from a shared cache.", "Every answer forbids caching."],
  S19: [
    "To inflate usage, as a provider.",
    "A report that cannot be true is billed at most as the hold, flagged and kept.",
  ],
  S20: [
    "To be charged a negative amount (CVE-2026-71479 of new-api).",
    "Numbers of a request are bounded at the door.",
  ],
  S21: [
    "To hang up before the last chunk and pay nothing.",
    "The end is held until the usage is acknowledged.",
  ],
  S22: ["To call many times at once on a small balance.", "1,000 calls of 0.1 on 5 admit exactly 50."],
  S23: [
    "To lock a balance with huge maximums.",
    "It is the caller's own. The refusal says what is held, and when to come back.",
  ],
  S24: [
    "To cost us writes by being refused.",
    "Each process writes on the meter for one refusal of a limit a second. [Notes of refused calls](shared/books/reports/README.md#refused-calls) are bounded too.",
  ],
  S25: [
    "To forge a payment (CVE-2026-41432 of new-api).",
    "The gateway takes none. The console checks each platform's signature: [payments](shared/people/payments/README.md#evidence).",
  ],
  S26: [
    "To nest JSON so deep that it cannot be written again.",
    "Depth is bounded before anything recursive runs.",
  ],
  S27: ["To have a number changed on its way.", "A body is changed in its bytes, and only where it must be."],
  S28: [
    "To give a key twice, so that one model is priced and another called.",
    "A key that is acted on may stand once.",
  ],
  S29: ["To pollute prototypes.", "Clients' objects are never merged, and look-ups see own names alone."],
  S30: [
    "To send a packed bomb.",
    "Packed requests are unpacked within the bound of a body. Packed answers are refused.",
  ],
  S31: ["To stall a process with a slow pattern.", "A megabyte of hostile text is read in a moment."],
  S32: [
    "To forge the end of a stream inside a text.",
    "Only whole frames leave, and texts are written as JSON.",
  ],
  S33: ["To abuse a form by its parts and names.", "Parts and heads are bounded, and no name is a path."],
  S34: [
    "To be served another model by an odd spelling.",
    "A name finds one model, whatever its case and punctuation.",
  ],
  S35: ["To have an error shown as a page.", "Errors are JSON, and sniffing is forbidden."],
  S36: ["To read another project's report.", "A project's key sees its own project."],
  S37: ["To delete what was booked, with a function's role.", "No role deletes an entry."],
  S38: [
    "To bring code in through a dependency.",
    "Every version is pinned, and two packages alone may run a script.",
  ],
  S39: [
    "To close a provider for others by requests that make it fail.",
    "What a request can cause counts for nothing. What one organization alone sees leaves a channel for its own calls only.",
  ],
  S40: [
    "To send an id that a provider gave to somebody else: of an answer, an item, a file, a container, a store.",
    "It goes up only with the mark of the caller's organization and project.",
  ],
} as const satisfies Readonly<Record<string, Borne>>;
