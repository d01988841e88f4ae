/** Lines of a customer's audit log, with the codes that the API has: the words for them are the customers' own pages'. */
import type { AuditEntry } from "../../../api-types.ts";
import { clock, second } from "../../../format.ts";
import { Table } from "../../../parts/table.tsx";

type Words = typeof import("./en.ts").words;

export function AuditRows({ words, entries }: { words: Words; entries: readonly AuditEntry[] }) {
  return (
    <Table
      caption={words.parts.audit}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        [
          words.what,
          ({ kind, subject }) => (
            <>
              {spaced(kind)}
              <br />
              <code class="faint">{subject}</code>
            </>
          ),
        ],
        [words.change, (entry) => <Change of={entry} />],
        [
          words.who,
          ({ actor: { id, name }, credential }) => (
            <span title={credential ?? undefined}>{name || (id === "operator" ? words.operator : id)}</span>
          ),
          "wide",
        ],
        [words.at, ({ created_at }) => <span title={second(created_at)}>{clock(created_at)}</span>, "wide"],
      ]}
    />
  );
}

/** A line for each fact that is there before or after. */
function Change({ of: { before, after } }: { of: AuditEntry }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <>
      {names.map((name) => (
        <div key={name}>
          <span class="faint">{spaced(name)}: </span>
          {[before?.[name], after?.[name]]
            .filter((each) => each !== undefined && each !== null && each !== "")
            .join(" → ")}
        </div>
      ))}
    </>
  );
}

const spaced = (code: string) => code.replaceAll("_", " ");
