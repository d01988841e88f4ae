/** The domains of the organization, with the record that proves each. */
import { useState } from "preact/hooks";
import type { ClaimedDomain } from "../../../api-types.ts";
import { useAction } from "../../../load.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Field } from "../../../parts/field.tsx";
import { Empty, ProblemNote } from "../../../parts/note.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { api } from "../../../session.ts";

type Words = typeof import("./en.ts").words;

interface DomainsProps {
  words: Words;
  domains: readonly ClaimedDomain[];
  onDone: () => void;
}

export function Domains({ words, domains, onDone }: DomainsProps) {
  const [asked, setAsked] = useState<"claim" | ClaimedDomain>();
  const { run, isRunning, problem } = useAction();
  const close = () => setAsked(undefined);
  const check = (domain: string) =>
    void run(async () => {
      await api.post<"check_domain">(`/api/v1/domains/${domain}/check`, {});
      onDone();
    });
  const claim = (
    <Button icon="plus" onPress={() => setAsked("claim")}>
      {words.claim}
    </Button>
  );
  return (
    <Section title={words.domains} lead={words.domainsLead} actions={claim}>
      <ProblemNote problem={problem} />
      {domains.length === 0 ? (
        <Empty title={words.noDomains} />
      ) : (
        <DomainTable {...{ words, domains, isChecking: isRunning }} onCheck={check} onDrop={setAsked} />
      )}
      {asked === "claim" && <Claim words={words} onClose={close} onDone={onDone} />}
      {asked !== undefined && asked !== "claim" && (
        <Confirm
          title={words.dropOf(asked.id)}
          action={words.drop}
          onClose={close}
          act={async () => {
            await api.remove<"drop_domain">(`/api/v1/domains/${asked.id}`);
            onDone();
          }}
        >
          {words.dropLead}
        </Confirm>
      )}
    </Section>
  );
}

function Claim({ words, onClose, onDone }: Pick<DomainsProps, "words" | "onDone"> & { onClose: () => void }) {
  const [domain, setDomain] = useState("");
  const claim = async () => {
    await api.post<"claim_domain">("/api/v1/domains", { domain: domain.trim() });
    onDone();
    onClose();
  };
  return (
    <Dialog title={words.claim} onClose={onClose}>
      <DialogForm action={words.claim} act={claim} onClose={onClose}>
        <Field label={words.domain} value={domain} onValue={setDomain} autocomplete="off" required />
      </DialogForm>
    </Dialog>
  );
}

interface DomainTableProps extends Pick<DomainsProps, "words" | "domains"> {
  isChecking: boolean;
  onCheck: (domain: string) => void;
  onDrop: (domain: ClaimedDomain) => void;
}

function DomainTable({ words, domains, isChecking, onCheck, onDrop }: DomainTableProps) {
  return (
    <Table
      caption={words.domains}
      rows={domains}
      keyOf={({ id }) => id}
      columns={[
        [words.domain, ({ id }) => id],
        [
          words.record,
          ({ record }) => (
            <>
              <code>{record.name}</code>
              <br />
              <code>{record.value}</code>
            </>
          ),
        ],
        [
          words.state,
          ({ proved }) => (
            <Badge look={proved ? "good" : "warn"}>{proved ? words.proved : words.waiting}</Badge>
          ),
        ],
        [
          words.check,
          (row) => (
            <div class="row end">
              <Button
                isSmall
                isBusy={isChecking}
                label={words.checkOf(row.id)}
                onPress={() => onCheck(row.id)}
              >
                {words.check}
              </Button>
              <Button isSmall label={words.dropOf(row.id)} onPress={() => onDrop(row)}>
                {words.drop}
              </Button>
            </div>
          ),
          "acts",
        ],
      ]}
    />
  );
}
