/** What a customer has, one list at a time: each is asked when somebody looks at it. */
import type { VNode } from "preact";
import { count, minute } from "../../../format.ts";
import { InvoiceRows, OrderRows, State } from "../../../operators/rows.tsx";
import { nextPage, useOperatorRead } from "../../../operators/signed-in.ts";
import { operatorWords } from "../../../operators/words.ts";
import { Choice } from "../../../parts/field.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Points } from "../../../parts/points.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { query, setQuery } from "../../../router.ts";
import { AuditRows } from "./audit-rows.tsx";
import { Keys } from "./customer-keys.tsx";

type Words = typeof import("./en.ts").words;
type Part = keyof Words["parts"];

interface PartProps {
  words: Words;
  /** Where the customer is in the API. */
  of: `/api/admin/v1/organizations/${string}`;
}

const shown: Record<Part, (props: PartProps) => VNode> = {
  keys: Keys,
  projects: Projects,
  orders: Orders,
  invoices: Invoices,
  credits: Credits,
  audit: Audit,
};
const parts = Object.keys(shown) as Part[];

export function CustomerParts({ words, of }: PartProps) {
  const chosen = parts.find((each) => each === query.value.get("show")) ?? "keys";
  const Shown = shown[chosen];
  return (
    <Section title={words.has}>
      <Choice
        label={words.has}
        isLabelHidden
        value={chosen}
        options={parts.map((value) => ({ value, name: words.parts[value] }))}
        onValue={(show) => setQuery({ show })}
      />
      <Shown key={chosen} words={words} of={of} />
    </Section>
  );
}

function Projects({ words, of }: PartProps) {
  const path = `${of}/projects` as const;
  const projects = useOperatorRead<"list_projects">(path);
  return (
    <Paged of={projects} path={path} read={nextPage} empty={<Nothing words={words} />}>
      {(all) => (
        <Table
          caption={words.parts.projects}
          rows={all}
          keyOf={({ id }) => id}
          isOff={({ status }) => status === "archived"}
          columns={[
            [
              words.name,
              ({ id, name }) => (
                <>
                  {name} <code class="faint">{id}</code>
                </>
              ),
            ],
            [operatorWords.value.state, ({ status }) => <State of={status} />],
            [words.keysInUse, ({ keys_in_use }) => count(keys_in_use), "number"],
          ]}
        />
      )}
    </Paged>
  );
}

function Orders({ words, of }: PartProps) {
  const path = `${of}/orders` as const;
  return (
    <Paged
      of={useOperatorRead<"list_orders">(path)}
      path={path}
      read={nextPage}
      empty={<Nothing words={words} />}
    >
      {(rows) => <OrderRows isOfOne caption={words.parts.orders} rows={rows} />}
    </Paged>
  );
}

function Invoices({ words, of }: PartProps) {
  const path = `${of}/invoices` as const;
  return (
    <Paged
      of={useOperatorRead<"list_invoices">(path)}
      path={path}
      read={nextPage}
      empty={<Nothing words={words} />}
    >
      {(rows) => <InvoiceRows isOfOne caption={words.parts.invoices} rows={rows} />}
    </Paged>
  );
}

function Credits({ words, of }: PartProps) {
  const path = `${of}/credits` as const;
  const credits = useOperatorRead<"list_credits">(path);
  const shared = operatorWords.value;
  return (
    <Paged of={credits} path={path} read={nextPage} empty={<Nothing words={words} />}>
      {(rows) => (
        <Table
          caption={words.parts.credits}
          rows={rows}
          keyOf={({ reference }) => reference}
          columns={[
            [shared.reference, ({ reference }) => <code>{reference}</code>],
            [shared.kind, ({ kind }) => shared.creditKinds[kind] ?? kind, "wide"],
            [shared.points, ({ points }) => <Points of={points} />, "number"],
            [words.credited, ({ credited_points }) => <Points of={credited_points} />, "number wide"],
            [words.at, ({ at }) => minute(at), "wide"],
          ]}
        />
      )}
    </Paged>
  );
}

function Audit({ words, of }: PartProps) {
  const path = `${of}/audit-log` as const;
  return (
    <Paged
      of={useOperatorRead<"list_audit_log">(path)}
      path={path}
      read={nextPage}
      empty={<Nothing words={words} />}
    >
      {(entries) => <AuditRows words={words} entries={entries} />}
    </Paged>
  );
}

function Nothing({ words }: { words: Words }) {
  return <Empty title={words.empty}>{words.emptyLead}</Empty>;
}
