import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageProps, PageRow } from "../page-row.ts";
import { waiting } from "../session.ts";
import { frameWords, locale } from "../words.ts";
import { Button } from "./button.tsx";
import { Progress } from "./loaded.tsx";
import { Empty } from "./note.tsx";

interface Shown {
  row: PageRow;
  Page: ComponentType<PageProps<unknown>>;
  words: unknown;
}

/** How many pages were opened since the console was loaded. */
let opened = 0;

/** The code and the words of a page, and then the page. The page before stays until then, for a moment. */
export function PageSlot({ row, rest }: { row: PageRow; rest: string }) {
  const [shown, setShown] = useState<Shown>();
  const [hasFailed, setFailed] = useState(false);
  const wanted = locale.value;
  useEffect(() => {
    let isCurrent = true;
    setFailed(false);
    waiting(() => Promise.all([row.load(), row[wanted]()])).then(
      ([Page, words]) => isCurrent && setShown({ row, Page, words }),
      () => isCurrent && setFailed(true),
    );
    return () => {
      isCurrent = false;
    };
  }, [row, wanted]);
  // A page that is opened says so to who cannot see it: its heading gets the focus, unless something has it. The first
  // page is told by the browser itself, and begins with the skip link.
  useEffect(() => {
    if (shown?.row !== row) return;
    const isFree = document.activeElement === document.body || document.activeElement?.closest("nav");
    if (isFree && opened > 0) document.querySelector<HTMLElement>("h1")?.focus();
    opened += 1;
  }, [shown, row]);
  if (hasFailed) return <Failed />;
  if (shown?.row !== row) return <Progress />;
  const { Page, words } = shown;
  return <Page key={row.id} words={words} rest={rest} />;
}

function Failed() {
  const words = frameWords.value;
  return (
    <div role="alert">
      <Empty
        isPage
        title={words.chunkFailed}
        action={
          <Button look="main" onPress={() => location.reload()}>
            {words.reload}
          </Button>
        }
      >
        {words.chunkFailedLead}
      </Empty>
    </div>
  );
}
