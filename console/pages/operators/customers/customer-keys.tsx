/** The keys of a customer, and what support may do to them. */

import { useState } from "preact/hooks";
import type { OperatedKey } from "../../../api-types.ts";
import { day } from "../../../format.ts";
import { Needs } from "../../../operators/needs.tsx";
import { State } from "../../../operators/rows.tsx";
import { hasScope, nextPage, useOperatorRead } from "../../../operators/signed-in.ts";
import { Told } from "../../../operators/told.tsx";
import { operatorWords } from "../../../operators/words.ts";
import { WriteDialog } from "../../../operators/write-dialog.tsx";
import { Button } from "../../../parts/button.tsx";
import { Empty, Note } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Table, type TableColumn } from "../../../parts/table.tsx";

type Words = typeof import("./en.ts").words;
type Act = keyof Words["act"];
type ActOperation = `${Act}_key`;

interface KeysProps {
  words: Words;
  /** Where the customer is in the API. */
  of: `/api/admin/v1/organizations/${string}`;
}

/** What may be done to a key, by its state. */
const actsOf: Record<OperatedKey["status"], readonly Act[]> = {
  active: ["disable", "revoke"],
  disabled: ["enable", "revoke"],
  revoked: [],
};

export function Keys({ words, of }: KeysProps) {
  const path = `${of}/keys` as const;
  const keys = useOperatorRead<"list_keys">(path);
  const [asked, setAsked] = useState<{ act: Act; key: OperatedKey }>();
  const [done, setDone] = useState<OperatedKey>();
  const shared = operatorWords.value;
  return (
    <>
      <Needs scope="support" act={Object.values(words.act).join(", ")}>
        {null}
      </Needs>
      <Told>
        {done && (
          <Note look="good">{words.keyDone(done.name, shared.states[done.status] ?? done.status)}</Note>
        )}
      </Told>
      <Paged
        of={keys}
        path={path}
        read={nextPage}
        empty={<Empty title={words.empty}>{words.emptyLead}</Empty>}
      >
        {(rows) => <KeyRows words={words} rows={rows} onAsk={(act, key) => setAsked({ act, key })} />}
      </Paged>
      {asked && (
        <WriteDialog<ActOperation>
          title={words.actOn(words.act[asked.act], asked.key.name || asked.key.id)}
          action={words.act[asked.act]}
          path={`${path}/${asked.key.id}/${asked.act}`}
          body={(reason) => ({ reason })}
          onClose={() => setAsked(undefined)}
          onDone={(key) => {
            setDone(key);
            keys.reload();
          }}
        />
      )}
    </>
  );
}

interface KeyRowsProps {
  words: Words;
  rows: readonly OperatedKey[];
  onAsk: (act: Act, key: OperatedKey) => void;
}

function KeyRows({ words, rows, onAsk }: KeyRowsProps) {
  const acts: TableColumn<OperatedKey> = [
    words.acts,
    (key) => (
      <div class="row end">
        {actsOf[key.status].map((act) => (
          <Button
            key={act}
            isSmall
            label={words.actOn(words.act[act], key.name || key.id)}
            onPress={() => onAsk(act, key)}
          >
            {words.act[act]}
          </Button>
        ))}
      </div>
    ),
    "acts",
  ];
  return (
    <Table
      caption={words.parts.keys}
      rows={rows}
      keyOf={({ id }) => id}
      isOff={({ status }) => status === "revoked"}
      columns={[
        [
          words.name,
          ({ name, id, last_four }) => (
            <>
              {name} <span class="faint">…{last_four}</span>
              <br />
              <code class="faint">{id}</code>
            </>
          ),
        ],
        [operatorWords.value.state, ({ status }) => <State of={status} />],
        [words.paysBy, ({ billing_mode }) => words.modes[billing_mode] ?? billing_mode, "wide"],
        [words.ends, ({ expires_at }) => (expires_at ? day(expires_at) : words.never), "wide"],
        ...(hasScope("support") ? [acts] : []),
      ]}
    />
  );
}
