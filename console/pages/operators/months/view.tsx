/** The months that are closed. With a month behind its path, the page is that month's own. */
import { minute } from "../../../format.ts";
import { listAndOne } from "../../../operators/list-and-one.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../parts/note.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { ClosedMonth, checksOf } from "./closed-month.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

export const Page = listAndOne<Words>(page.path, Months, ClosedMonth);

function Months({ words }: { words: Words }) {
  const months = useOperatorRead<"list_months">("/api/admin/v1/months");
  return (
    <Sheet lead={words.lead}>
      <Loaded of={months}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.none}>{words.noneLead}</Empty>
          ) : (
            <Table
              caption={pageTitle()}
              rows={data}
              keyOf={({ month }) => month}
              columns={[
                [words.month, ({ month }) => <a href={`${page.path}/${month}`}>{month}</a>],
                [words.at, ({ closed_at }) => minute(closed_at)],
                [words.by, ({ closed_by }) => closed_by, "wide"],
                [words.accepted, ({ accepted }) => checksOf(words, accepted) || "–", "wide"],
                [words.hash, ({ sha256 }) => <code>{sha256.slice(0, 12)}</code>, "wide"],
              ]}
            />
          )
        }
      </Loaded>
    </Sheet>
  );
}
