import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { withQuery } from "../api.ts";
import type { List } from "../api-types.ts";
import { type Loading, useAction } from "../load.ts";
import { api } from "../session.ts";
import { frameWords } from "../words.ts";
import { Button } from "./button.tsx";
import { Loaded } from "./loaded.tsx";
import { ProblemNote } from "./note.tsx";

/** A list whose first page is read, and whose others follow on wish. */
export function Paged<Item>({
  of,
  path,
  children,
}: {
  of: Loading<List<Item>>;
  /** Where the list is, without a query. */
  path: string;
  children: (items: Item[]) => ComponentChildren;
}) {
  return (
    <Loaded of={of} lines={5}>
      {(first) => (
        <Pages first={first} path={path}>
          {children}
        </Pages>
      )}
    </Loaded>
  );
}

function Pages<Item>({
  first,
  path,
  children,
}: {
  first: List<Item>;
  path: string;
  children: (items: Item[]) => ComponentChildren;
}) {
  // Further pages belong to the first one that they follow; a newer first page begins anew.
  const [more, setMore] = useState({ of: first, pages: [] as List<Item>[] });
  const pages = more.of === first ? more.pages : [];
  const { run, isRunning, problem } = useAction();
  const last = pages.at(-1) ?? first;
  const next = () =>
    run(async () => {
      const page = await api.get<List<Item>>(withQuery(path, { after: last.last_id ?? undefined }));
      setMore({ of: first, pages: [...pages, page] });
    });
  return (
    <>
      {children([first, ...pages].flatMap(({ data }) => data))}
      <ProblemNote problem={problem} />
      {last.has_more && last.last_id && (
        <div class="row">
          <Button isBusy={isRunning} onPress={next}>
            {frameWords.value.more}
          </Button>
        </div>
      )}
    </>
  );
}
