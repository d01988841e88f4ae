/** Statements: the months of the wallet, each as a page to print and as CSV. */
import { points, step } from "../../../format.ts";
import { useAction, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Empty, ProblemNote } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { saveFile } from "../../../save-file.ts";
import { api } from "../../../session.ts";
import { page as rechargePage } from "../recharge/page.ts";

type Words = typeof import("./en.ts").words;
type Of = { words: Words; month: string };

const path = "/api/v1/statements";

export function Page({ words }: PageProps<Words>) {
  const months = useRead<"list_statements">(path);
  return (
    <Sheet lead={words.lead}>
      <Paged
        of={months}
        path={path}
        empty={
          <Empty
            title={words.none}
            action={<ButtonLink href={rechargePage.path}>{words.recharge}</ButtonLink>}
          >
            {words.noneLead}
          </Empty>
        }
      >
        {(all) => (
          <Table
            caption={pageTitle()}
            rows={all}
            keyOf={({ month }) => month}
            columns={[
              [
                words.month,
                ({ month, is_running }) => (
                  <>
                    {nameOf(month)} {is_running && <Badge>{words.running}</Badge>}
                  </>
                ),
              ],
              [words.opening, ({ opening_points }) => points(opening_points), "number wide"],
              [words.closing, ({ closing_points }) => points(closing_points), "number"],
              [words.page, ({ month }) => <Files words={words} month={month} />, "acts"],
            ]}
          />
        )}
      </Paged>
    </Sheet>
  );
}

const nameOf = (month: string) => step(`${month}-01T00:00:00Z`, "month");

const types = { html: "text/html", csv: "text/csv" } as const;

/** Saves files: a link cannot carry the access token, and the policy forbids the page's style in a tab of our own. */
function Files({ words, month }: Of) {
  return (
    <div class="row end">
      <File month={month} format="html" label={words.pageOf(nameOf(month))} name={words.page} />
      <File month={month} format="csv" label={words.csvOf(nameOf(month))} name={words.csv} />
    </div>
  );
}

interface FileProps {
  month: string;
  format: keyof typeof types;
  label: string;
  name: string;
}

function File({ month, format, label, name }: FileProps) {
  const { run, isRunning, problem } = useAction();
  const save = async () => {
    const text = await run(() => api.text(`${path}/${month}?format=${format}`));
    if (text !== undefined) saveFile(`statement-${month}.${format}`, text, types[format]);
  };
  return (
    <>
      <Button isSmall icon="download" label={label} isBusy={isRunning} onPress={save}>
        {name}
      </Button>
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}
