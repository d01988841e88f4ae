import { found as firstViews } from "found:first/view";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Locale } from "../locale.ts";
import type { ListedPage, PageProps } from "../page.ts";
import { waiting } from "../session.ts";
import { frameWords, locale } from "../words.ts";
import { Button } from "./button.tsx";
import { Progress } from "./loaded.tsx";
import { Empty } from "./note.tsx";

type PageView = ComponentType<PageProps<unknown>>;
/** What the pages of a group have, by the names of their folders. */
type Load<Value> = () => Promise<{ found: Record<string, Value> }>;

/** What is loaded with the first page of a group that opens. Many small files are larger than a few when compressed. */
const groups: Record<ListedPage["group"], { view: Load<PageView> } & Record<Locale, Load<unknown>>> = {
  first: {
    view: async () => ({ found: firstViews }),
    en: () => import("../words/en/first.ts"),
    zh: () => import("../words/zh/first.ts"),
  },
  daily: {
    view: () => import("found:daily/view"),
    en: () => import("found:daily/en"),
    zh: () => import("found:daily/zh"),
  },
  team: {
    view: () => import("found:team/view"),
    en: () => import("found:team/en"),
    zh: () => import("found:team/zh"),
  },
  operators: {
    view: () => import("found:operators/view"),
    en: () => import("found:operators/en"),
    zh: () => import("found:operators/zh"),
  },
  money: {
    view: () => import("found:money/view"),
    en: () => import("found:money/en"),
    zh: () => import("found:money/zh"),
  },
};

interface Shown {
  name: string;
  Page: PageView | undefined;
  words: unknown;
}

/** How many pages were opened since the console was loaded. */
let opened = 0;

/** The code and the words of a page, and then the page. The page before stays until then, for a moment. */
export function PageSlot({ group, name, rest }: Pick<ListedPage, "group" | "name"> & { rest: string }) {
  const [shown, setShown] = useState<Shown>();
  const [hasFailed, setFailed] = useState(false);
  const wanted = locale.value;
  useEffect(() => {
    let isCurrent = true;
    setFailed(false);
    waiting(() => Promise.all([groups[group].view(), groups[group][wanted]()])).then(
      ([views, words]) => isCurrent && setShown({ name, Page: views.found[name], words: words.found[name] }),
      () => isCurrent && setFailed(true),
    );
    return () => {
      isCurrent = false;
    };
  }, [group, name, wanted]);
  // A page that is opened says so to who cannot see it: its heading gets the focus, unless something has it. The first
  // page is told by the browser itself, and begins with the skip link.
  useEffect(() => {
    if (shown?.name !== name) return;
    const isFree = document.activeElement === document.body || document.activeElement?.closest("nav");
    if (isFree && opened > 0) document.querySelector<HTMLElement>("h1")?.focus();
    opened += 1;
  }, [shown, name]);
  if (hasFailed) return <Failed />;
  if (shown?.name !== name || !shown.Page) return <Progress />;
  return <shown.Page key={name} words={shown.words} rest={rest} />;
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
