/** The audit log: who did what, and what was so before and after. */
import type { AuditEntry } from "../../../api-types.ts";
import { factsOf } from "../../../audit-facts.ts";
import { clock, second } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Empty } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;
type Of = { words: Words; entry: AuditEntry };

const path = "/api/v1/audit-log";

export function Page({ words }: PageProps<Words>) {
  const log = useRead<"list_audit_log">(path);
  return (
    <Sheet lead={words.lead}>
      <Paged of={log} path={path} empty={<Empty title={words.none}>{words.noneLead}</Empty>}>
        {(entries) => (
          <Table
            caption={pageTitle()}
            rows={entries}
            keyOf={({ id }) => id}
            columns={[
              [words.what, (entry) => <What words={words} entry={entry} />],
              [words.change, (entry) => <Change words={words} entry={entry} />],
              [words.who, (entry) => <Who words={words} entry={entry} />, "wide"],
              [words.at, ({ created_at }) => <span title={second(created_at)}>{clock(created_at)}</span>],
            ]}
          />
        )}
      </Paged>
    </Sheet>
  );
}

function What({ words, entry: { kind, subject } }: Of) {
  return (
    <>
      {words.kinds[kind] ?? kind.replaceAll("_", " ")}
      <br />
      <code class="faint">{subject}</code>
    </>
  );
}

function Who({ words, entry: { actor, credential, ip, forwarded_for } }: Of) {
  const others: Record<string, string> = { operator: words.operator, platform: words.platform };
  return (
    <>
      {actor.name || others[actor.id] || <code>{actor.id}</code>}
      <br />
      <span class="faint" title={credential ?? undefined}>
        {[ip, forwarded_for].filter(Boolean).join(" ← ")}
      </span>
    </>
  );
}

/** A line for each fact that is there before or after. */
function Change({ words, entry }: Of) {
  const { roles } = frameWords.value;
  return (
    <>
      {factsOf(entry, words, roles).map(({ name, before, after }) => (
        <div key={name}>
          <span class="faint">{name}: </span>
          {[before, after].filter(Boolean).join(" → ")}
        </div>
      ))}
    </>
  );
}
