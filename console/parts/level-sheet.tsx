/** A page of what levels have: a row for each, which managers give, change and take away. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Loading } from "../load.ts";
import { Button } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { Loaded } from "./loaded.tsx";
import { Empty } from "./note.tsx";
import { pageTitle, Sheet } from "./sheet.tsx";
import { Table, type TableColumn } from "./table.tsx";

/** What a level has. */
interface LevelRow {
  level: string;
  /** Which of the level's accounts has it; null at a level that has one. */
  id: string | null;
}

interface LevelWords<Level extends string> {
  lead: string;
  give: string;
  none: string;
  noneLead: string;
  whose: string;
  levels: Readonly<Record<Level, string>>;
  change: string;
  changeOf: (name: string) => string;
  takeAway: string;
  takeOf: (name: string) => string;
  takeLead: string;
}

interface LevelSheetProps<Row extends LevelRow, Read> {
  words: LevelWords<Row["level"]>;
  of: Loading<Read>;
  rowsOf: (read: Read) => readonly Row[];
  /** Who may be an account of a level, with their names. */
  named: readonly { id: string; name: string }[];
  /** What a row shows behind whose it is. */
  columns: readonly TableColumn<Row>[];
  isManaged: boolean;
  /** The dialog that changes what a row has; without a row it gives another one. */
  form: (row: Row | undefined, onClose: () => void) => ComponentChildren;
  take: (row: Row) => Promise<void>;
}

type OpenDialog<Row> = { what: "give"; row?: Row } | { what: "take"; row: Row };

export function LevelSheet<Row extends LevelRow, Read>({
  words,
  of,
  rowsOf,
  named,
  columns,
  isManaged,
  form,
  take,
}: LevelSheetProps<Row, Read>) {
  const [asked, setAsked] = useState<OpenDialog<Row>>();
  const close = () => setAsked(undefined);
  const nameOf = ({ level, id }: Row): string => {
    const name = named.find((each) => each.id === id)?.name || id;
    const shown = words.levels[level as Row["level"]];
    return name ? `${shown} ${name}` : shown;
  };
  const give = isManaged && (
    <Button look="main" icon="plus" onPress={() => setAsked({ what: "give" })}>
      {words.give}
    </Button>
  );
  return (
    <Sheet lead={words.lead} actions={give}>
      <Loaded of={of} lines={4}>
        {(read) => {
          const rows = rowsOf(read);
          if (rows.length === 0) return <Empty title={words.none}>{words.noneLead}</Empty>;
          return (
            <Table
              caption={pageTitle()}
              rows={rows}
              keyOf={({ level, id }) => `${level} ${id}`}
              columns={[
                [words.whose, nameOf],
                ...columns,
                ...(isManaged ? [changes(words, nameOf, setAsked)] : []),
              ]}
            />
          );
        }}
      </Loaded>
      {asked?.what === "give" && form(asked.row, close)}
      {asked?.what === "take" && (
        <Confirm
          title={words.takeOf(nameOf(asked.row))}
          action={words.takeAway}
          onClose={close}
          act={() => take(asked.row)}
        >
          {words.takeLead}
        </Confirm>
      )}
    </Sheet>
  );
}

function changes<Row extends LevelRow>(
  words: LevelWords<Row["level"]>,
  nameOf: (row: Row) => string,
  onAsk: (asked: OpenDialog<Row>) => void,
): TableColumn<Row> {
  return [
    words.change,
    (row) => (
      <div class="row end">
        <Button isSmall label={words.changeOf(nameOf(row))} onPress={() => onAsk({ what: "give", row })}>
          {words.change}
        </Button>
        <Button isSmall label={words.takeOf(nameOf(row))} onPress={() => onAsk({ what: "take", row })}>
          {words.takeAway}
        </Button>
      </div>
    ),
  ];
}
