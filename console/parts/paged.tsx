import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ConsoleOperationOf, ConsolePath } from "../../shared/edges/openapi/route-types.ts";
import type { List } from "../api-types.ts";
import { type Loading, useAction } from "../load.ts";
import { saveFile } from "../save-file.ts";
import { api } from "../session.ts";
import { frameWords } from "../words.ts";
import { Button } from "./button.tsx";
import { Loaded } from "./loaded.tsx";
import { ProblemNote } from "./note.tsx";

type CustomersPath = ConsolePath<ConsoleOperationOf<"GET">>;

const ofCustomer = (path: string) => api.get(path as CustomersPath) as Promise<unknown>;

/** How many pages one press reads at most until one has something. */
const emptyMax = 8;

interface PagedProps<Item> {
  of: Loading<List<Item>>;
  /** Where the list is, with its query if it has one. */
  path: string;
  /** What is asked for besides in further pages, such as `&limit=200`. */
  more?: string;
  /** Reads a further page. By default the customers' API is asked. */
  read?: (path: string) => Promise<unknown>;
  /** The name of the whole list as a file of CSV, where there is one. */
  file?: string;
  /** What stands in the place of a list without items. */
  empty?: ComponentChildren;
  /** Draws the items that were read. `hasMore`: others follow. */
  children: (items: Item[], hasMore: boolean) => ComponentChildren;
}

/** A list whose first page is read, and whose others follow on wish. */
export function Paged<Item>({ of, ...how }: PagedProps<Item>) {
  return (
    <Loaded of={of} lines={5}>
      {(first) => <Pages first={first} {...how} />}
    </Loaded>
  );
}

interface PagesProps<Item> extends Omit<PagedProps<Item>, "of"> {
  first: List<Item>;
}

function Pages<Item>(props: PagesProps<Item>) {
  const { first, path, more: asked = "", read = ofCustomer, file, empty, children } = props;
  // Further pages belong to the first one that they follow; a newer first page begins anew.
  const [more, setMore] = useState({ of: first, pages: [] as List<Item>[] });
  const pages = more.of === first ? more.pages : [];
  const { run, isRunning, problem } = useAction();
  const last = pages.at(-1) ?? first;
  const items = [first, ...pages].flatMap(({ data }) => data);
  const at = (more: string) => `${path}${path.includes("?") ? "&" : "?"}${more}`;
  const csv = () => api.text(at("format=csv") as CustomersPath);
  const save = () => run(async () => saveFile(`${file}.csv`, await csv(), "text/csv"));
  const next = () =>
    run(async () => {
      let page = last;
      // A page may be empty though more follow. The reader asked for more, so some of those are passed over.
      for (let turn = 0; turn < emptyMax && page.has_more && (turn === 0 || page.data.length === 0); turn++) {
        const after = encodeURIComponent(page.last_id ?? "");
        // The same list as that of the first page.
        page = (await read(at(`after=${after}${asked}`))) as List<Item>;
      }
      setMore({ of: first, pages: [...pages, page] });
    });
  return (
    <>
      {empty && items.length === 0 ? empty : children(items, last.has_more)}
      <ProblemNote problem={problem} />
      <div class="row">
        {last.has_more && last.last_id && (
          <Button isBusy={isRunning} onPress={next}>
            {frameWords.value.more}
          </Button>
        )}
        {file && first.data.length > 0 && (
          <Button icon="download" isBusy={isRunning} onPress={save}>
            CSV
          </Button>
        )}
      </div>
    </>
  );
}
