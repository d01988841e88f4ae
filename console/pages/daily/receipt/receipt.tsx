/** The receipt of one call: everything that the charge is computed from. */
import type { ComponentChildren } from "preact";
import type { CallError, Priced, Receipt as ReceiptAnswer } from "../../../api-types.ts";
import { allPoints, count, second, took } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Copy } from "../../../parts/copy.tsx";
import { type Fact, FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Note } from "../../../parts/note.tsx";
import { Figure, Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { frameWords, locale } from "../../../words.ts";
import type { words as callsEnglish } from "../calls/en.ts";
import { page as callsPage } from "../calls/page.ts";

type Words = typeof import("./en.ts").words;
/** Of the page of calls: how calls end is said there. */
type CallWords = Pick<typeof callsEnglish, "receipt" | "outcomes" | "outcome">;

const pendingMs = 3_000;

/** `back`: the list that it was opened from, as it was filtered. */
export function Receipt({ words: all, id, back }: { words: CallWords; id: string; back: string }) {
  const words = all.receipt;
  const path = `/api/v1/requests/${encodeURIComponent(id)}` as const;
  const receipt = useRead<"retrieve_receipt">(path, {
    everyMs: pendingMs,
    until: ({ status }) => status !== "pending",
  });
  return (
    <Sheet title={words.title} lead={<code>{id}</code>} actions={<Copy text={id} />}>
      <p>
        <a href={back}>← {words.back}</a>
      </p>
      <Loaded of={receipt} lines={8}>
        {(value) => <Parts words={all} receipt={value} />}
      </Loaded>
    </Sheet>
  );
}

function Parts({ words: all, receipt }: { words: CallWords; receipt: ReceiptAnswer }) {
  const words = all.receipt;
  const { status, held_points, repeats, correction, entries, error, route } = receipt;
  return (
    <>
      {error && <Failure error={error} free={status === "refused" && words.reasons.free} />}
      {status === "pending" && (
        <Note>
          <p>{words.pending}</p>
          {held_points && <p>{words.heldNow(allPoints(held_points))}</p>}
        </Note>
      )}
      {status === "repeated" && (
        <Note>
          <p>{words.repeated}</p>
          {repeats && <a href={`${callsPage.path}/${repeats}`}>{words.first}</a>}
        </Note>
      )}
      {receipt.lines && <Charge words={words} receipt={receipt as ReceiptAnswer & Priced} />}
      <Facts words={all} receipt={receipt} />
      {route && <Attempts words={all} route={route} />}
      {correction && (
        <Section
          title={words.correction}
          lead={words.correctionLead(allPoints(correction.difference_points))}
        >
          <Lines words={words} priced={correction.estimate} caption={words.correction} />
        </Section>
      )}
      {entries.length > 0 && <Entries words={words} entries={entries} />}
    </>
  );
}

/** Why a call failed, and what to do: the server says both, in the languages of the console. */
function Failure({ error, free }: { error: CallError; free: string | false }) {
  const { code, status, message, advice } = error;
  return (
    <Note look="warn">
      <strong>{frameWords.value.problems[code]?.[0]}</strong>
      <p>
        {code}
        {status && ` · HTTP ${status}`} · <span lang="en">{message}</span>
      </p>
      {free && <p>{free}</p>}
      {advice && <p>{advice[locale.value]}</p>}
    </Note>
  );
}

/** Whom the call has asked, and what each of them gave. */
function Attempts({ words: calls, route }: { words: CallWords; route: NonNullable<ReceiptAnswer["route"]> }) {
  const words = calls.receipt;
  return (
    <Section title={words.provider}>
      <Table
        caption={words.provider}
        rows={route.attempts}
        keyOf={({ provider, ms }) => provider + ms}
        columns={[
          [words.provider, ({ provider, model = "" }) => `${provider} ${model}`],
          [
            calls.outcome,
            ({ outcome, status }) => (
              <>
                {words.gives[outcome]} {status}
              </>
            ),
          ],
          [words.took, ({ ms }) => took(ms), "number"],
        ]}
      />
    </Section>
  );
}

/** Why the charge is what it is, from what the receipt says of the call. */
function reasonOf(
  {
    calls,
    evidence,
    billing_mode,
    reported,
    own_fee,
  }: Priced & Pick<ReceiptAnswer, "billing_mode" | "own_fee">,
  words: Words,
): string {
  const { reasons } = words;
  if (calls === 0) return reasons.free;
  if (evidence === "cache") return reasons.cache;
  if (billing_mode === "subscription") return reasons.plan;
  if (own_fee) return reasons.own;
  if (evidence === "none") return reasons.none;
  const reason = evidence === "reported" ? reasons.reported : reasons.estimated;
  return reported ? `${reason} ${reasons.cutBack}` : reason;
}

function Charge({ words, receipt }: { words: Words; receipt: ReceiptAnswer & Priced }) {
  const unit = frameWords.value.points;
  return (
    <>
      <dl class="figures-row">
        <Figure name={words.charged} note={reasonOf(receipt, words)}>
          {allPoints(receipt.cost_points)} <small>{unit}</small>
        </Figure>
        <Figure name={words.listValue} note={receipt.price && words.price(receipt.price.version)}>
          {allPoints(receipt.list_points)} <small>{unit}</small>
        </Figure>
      </dl>
      {receipt.lines.length > 0 && (
        <Section title={words.lines} lead={words.linesLead}>
          <Lines
            words={words}
            priced={receipt}
            fee={receipt.own_fee}
            caption={words.lines}
            discount={receipt.discount_rate}
          />
          {receipt.tiers.map(({ from, up_to, tokens }) => (
            <p class="faint" key={`${from} ${tokens}`}>
              {words.tiers(count(from), up_to === null ? words.noEnd : count(up_to), count(tokens))}
            </p>
          ))}
        </Section>
      )}
    </>
  );
}

interface LinesProps {
  words: Words;
  priced: Priced;
  /** Our fee where the organization's own key has paid. */
  fee?: ReceiptAnswer["own_fee"];
  caption: string;
  discount?: string;
}

function Lines({ words, priced, fee, caption, discount }: LinesProps) {
  interface Row {
    name: ComponentChildren;
    quantity: string;
    unit: string;
    per: string;
    points: string;
  }
  const rows: Row[] = priced.lines.map((line) => ({
    name: words.dimensions[line.dimension] ?? line.dimension.replaceAll("_", " "),
    quantity: count(line.quantity),
    unit: allPoints(line.unit_price),
    per: count(line.per),
    points: allPoints(line.points),
  }));
  const isDiscounted = discount !== undefined && discount !== "1";
  const foot = {
    name: isDiscounted ? `${words.total} (${words.discount(discount)})` : words.total,
    ...{ quantity: "", unit: "", per: "", points: allPoints(fee?.of_points ?? priced.list_points) },
  };
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={(row) => `${row.name} ${row.unit}`}
      foot={foot}
      columns={[
        [words.what, ({ name }) => name],
        [words.quantity, ({ quantity }) => quantity, "number"],
        [words.unitPrice, ({ unit }) => unit, "number"],
        [words.per, ({ per }) => per, "number wide"],
        [words.points, ({ points }) => points, "number"],
      ]}
    />
  );
}

/** What the fee for a call with the organization's own key is made of. */
function ownFeeOf({ share, call, of_points }: NonNullable<ReceiptAnswer["own_fee"]>, words: Words): string {
  if (share === null) return words.feeCall(allPoints(call ?? "0"));
  return words.feeShare(share, allPoints(of_points));
}

export const looks = { completed: "good", truncated: "warn", failed: "bad", refused: "bad" } as const;

function Facts({ words: calls, receipt }: { words: CallWords; receipt: ReceiptAnswer }) {
  const words = calls.receipt;
  const { status, created_at, ended_at, billing_mode } = receipt;
  const outcome = status === "refused" ? status : receipt.outcome;
  const tags = Object.entries(receipt.tags ?? {})
    .map((pair) => pair.join("="))
    .join(", ");
  // What nobody knows of a call is left out.
  const facts: Fact[] = [
    [words.model, receipt.model],
    [words.requested, receipt.requested_model],
    [calls.outcome, outcome && <Badge look={looks[outcome]}>{calls.outcomes[outcome]}</Badge>],
    [words.started, second(created_at)],
    [words.took, ended_at && took(Date.parse(ended_at) - Date.parse(created_at))],
    [words.provider, receipt.provider],
    [words.ownKey, receipt.own_fee && ownFeeOf(receipt.own_fee, words)],
    [words.mode, billing_mode && words.modes[billing_mode]],
    [words.key, <code>{receipt.key_id}</code>],
    [words.project, receipt.project_id || words.noProject],
    [words.user, receipt.user],
    [words.tags, tags],
  ];
  return (
    <Section title={words.call}>
      <FactList facts={facts} />
    </Section>
  );
}

function Entries({ words, entries }: { words: Words; entries: ReceiptAnswer["entries"] }) {
  return (
    <Section title={words.entries}>
      <Table
        caption={words.entries}
        rows={entries}
        keyOf={({ id }) => id}
        columns={[
          [words.at, ({ at }) => second(at)],
          [words.kind, ({ kind }) => kind, "wide"],
          [words.debit, ({ debit }) => <code>{debit}</code>, "wide"],
          [words.credit, ({ credit }) => <code>{credit}</code>, "wide"],
          [words.points, ({ points }) => allPoints(points), "number"],
        ]}
      />
    </Section>
  );
}
