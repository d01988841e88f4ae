/** Credits that take a second person. With an id behind its path, the page is that proposal's own. */

import { useState } from "preact/hooks";
import type { CreditProposal } from "../../../api-types.ts";
import { allPoints, minute } from "../../../format.ts";
import { listAndOne, type OneProps } from "../../../operators/list-and-one.tsx";
import { Needs } from "../../../operators/needs.tsx";
import { CustomerLink, ProposalRows, State } from "../../../operators/rows.tsx";
import { nextPage, operator, useOperatorRead } from "../../../operators/signed-in.ts";
import { Told } from "../../../operators/told.tsx";
import { operatorWords } from "../../../operators/words.ts";
import { WriteDialog } from "../../../operators/write-dialog.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, Note } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

export const Page = listAndOne<Words>(page.path, Proposals, OneProposal);

function Proposals({ words }: { words: Words }) {
  const path = "/api/admin/v1/proposals";
  const proposals = useOperatorRead<"list_proposals">(path);
  return (
    <Sheet lead={words.lead} actions={<Button onPress={proposals.reload}>{operatorWords.value.read}</Button>}>
      <Paged
        of={proposals}
        path={path}
        read={nextPage}
        empty={<Empty title={words.none}>{words.noneLead}</Empty>}
      >
        {(rows) => <ProposalRows caption={pageTitle()} rows={rows} />}
      </Paged>
    </Sheet>
  );
}

function OneProposal({ words, id, back }: OneProps<Words>) {
  const path = `/api/admin/v1/proposals/${encodeURIComponent(id)}` as const;
  const proposal = useOperatorRead<"show_proposal">(path);
  const [asked, setAsked] = useState<"confirm" | "refuse">();
  const shared = operatorWords.value;
  const isOpen = proposal.value?.state === "open";
  // The server compares mailboxes, and has the last word.
  const isOwn = proposal.value?.proposed_by.person === operator.value?.person;
  const refuse = isOwn ? words.takeBack : words.refuse;
  return (
    <Sheet
      title={shared.proposal}
      lead={<code>{id}</code>}
      actions={
        <>
          <ButtonLink href={back}>{shared.back}</ButtonLink>
          {isOpen && (
            <Needs scope="finance" act={`${words.confirm}, ${refuse}`}>
              <Button onPress={() => setAsked("refuse")}>{refuse}</Button>
              {!isOwn && (
                <Button look="main" onPress={() => setAsked("confirm")}>
                  {words.confirm}
                </Button>
              )}
            </Needs>
          )}
        </>
      }
    >
      {isOpen && isOwn && <Note>{words.own}</Note>}
      <Loaded of={proposal}>{(whole) => <ProposalFacts words={words} of={whole} />}</Loaded>
      {asked && (
        <WriteDialog<"confirm_proposal" | "refuse_proposal">
          title={asked === "confirm" ? words.confirm : refuse}
          action={asked === "confirm" ? words.confirm : refuse}
          path={`${path}/${asked}`}
          body={(reason) => ({ reason })}
          onClose={() => setAsked(undefined)}
          onDone={proposal.reload}
        />
      )}
    </Sheet>
  );
}

function ProposalFacts({ words, of }: { words: Words; of: CreditProposal }) {
  const shared = operatorWords.value;
  const { proposed_by, decided_by, decided_at, state } = of;
  return (
    <>
      <Told>
        {state === "confirmed" ? (
          <Note look="good">{words.confirmed}</Note>
        ) : (
          state === "refused" && <Note>{words.refused}</Note>
        )}
      </Told>
      <FactList
        facts={[
          [shared.customer, <CustomerLink key="customer" id={of.organization} />],
          [shared.state, <State key="state" of={state} />],
          [shared.points, allPoints(of.points)],
          [shared.kind, shared.creditKinds[of.kind] ?? of.kind],
          [shared.reference, <code key="reference">{of.reference}</code>],
          [words.why, of.why],
          [shared.proposer, `${proposed_by.name} (${proposed_by.person})`],
          [words.made, minute(of.created_at)],
          [shared.ends, minute(of.ends_at)],
          [
            words.decidedBy,
            decided_by &&
              `${decided_by.name} (${decided_by.person})${decided_at ? `, ${minute(decided_at)}` : ""}`,
          ],
          [words.decidedWhy, of.decided_why],
        ]}
      />
    </>
  );
}
