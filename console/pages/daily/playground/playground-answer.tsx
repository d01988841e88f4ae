/** What has come of a call in the playground: the answer as it is written, how long it took, and what it cost. */
import type { Receipt, ReceiptLine } from "../../../api-types.ts";
import type { TurnAnswer } from "../../../chat-turns.ts";
import { allPoints, count, took } from "../../../format.ts";
import { useLoad } from "../../../load.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { Table } from "../../../parts/table.tsx";
import { asProblem } from "../../../problem.ts";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";
import { page as callsPage } from "../calls/page.ts";

type Words = typeof import("./en.ts").words;

const settleMs = 1_500;

interface AnswerProps {
  words: Words;
  /** What the section is called, alone among those of the page. */
  label: string;
  /** The model's name, where several have answered. */
  name: string;
  state: TurnAnswer;
  /** All lines of what it cost are shown for the last turn alone. */
  isLast: boolean;
}

export function Answer({ words, label, name, state, isLast }: AnswerProps) {
  const { stage, text, reasoning, request, firstMs, allMs, problem } = state;
  const isOver = stage === "done" || stage === "stopped" || stage === "failed";
  return (
    <section class="stack" aria-label={label}>
      {name && <h2>{name}</h2>}
      <p class="faint" role="status">
        {stage !== "failed" && words[stage]}{" "}
        {firstMs !== undefined && allMs !== undefined && words.times(took(firstMs), took(allMs))}
      </p>
      {reasoning && (
        <details class="figures">
          <summary>{words.thinking}</summary>
          <p class="answer faint">{reasoning}</p>
        </details>
      )}
      {(text || stage === "writing") && <div class={`card answer ${stage}`}>{text}</div>}
      {problem && <ProblemNote problem={problem} />}
      {/* A call that was refused has no receipt. */}
      {isOver &&
        request &&
        !problem?.status &&
        (isLast ? (
          <Cost key={request} words={words} name={name} request={request} />
        ) : (
          <ReceiptLink words={words} request={request} />
        ))}
    </section>
  );
}

/** The receipt, read until the call is settled. */
function Cost({ words, name, request }: { words: Words; name: string; request: string }) {
  const path = `/api/v1/requests/${encodeURIComponent(request)}` as const;
  const receipt = useLoad(
    (asked) =>
      api.get<"retrieve_receipt">(path, { ...asked, isQuiet: true }).catch((error: unknown) => {
        // The event of the call may still be on its way.
        if (asProblem(error).code === 40400) return null;
        throw error;
      }),
    path,
    { everyMs: settleMs, until: (found) => Boolean(found?.lines) },
  );
  return (
    <div class="stack">
      {name ? <h3>{words.cost}</h3> : <h2>{words.cost}</h2>}
      <Loaded of={receipt} lines={3}>
        {(value) =>
          value?.lines ? (
            <Lines words={words} name={name} receipt={value} lines={value.lines} />
          ) : (
            <p class="row faint" role="status">
              <span class="spinner" aria-hidden="true" />
              {words.settling}
            </p>
          )
        }
      </Loaded>
      <ReceiptLink words={words} request={request} />
    </div>
  );
}

function ReceiptLink({ words, request }: { words: Words; request: string }) {
  return (
    <p>
      <a href={`${callsPage.path}/${request}`}>{words.openReceipt}</a>
    </p>
  );
}

interface LinesProps {
  words: Words;
  name: string;
  receipt: Receipt;
  lines: readonly ReceiptLine[];
}

function Lines({ words, name, receipt, lines }: LinesProps) {
  const own = words.receipt;
  return (
    <>
      <p>
        <span class="amount number">{allPoints(receipt.cost_points ?? "0")}</span>{" "}
        <span class="faint">{frameWords.value.points}</span>
      </p>
      {lines.length > 0 && (
        <Table
          caption={name ? `${own.lines}: ${name}` : own.lines}
          rows={lines}
          keyOf={({ dimension, unit_price }) => `${dimension} ${unit_price}`}
          columns={[
            [own.what, ({ dimension }) => own.dimensions[dimension] ?? dimension.replaceAll("_", " ")],
            [own.quantity, ({ quantity }) => count(quantity), "number"],
            [
              own.unitPrice,
              ({ unit_price, per }) => words.unitPer(allPoints(unit_price), count(per)),
              "number wide",
            ],
            [own.points, ({ points }) => allPoints(points), "number"],
          ]}
        />
      )}
    </>
  );
}
