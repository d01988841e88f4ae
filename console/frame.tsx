/** What stands around every page: navigation, the account's menu, and the note of what is read. */
import { useEffect, useState } from "preact/hooks";
import type { PageFacts } from "./page.ts";
import { pages } from "./pages.ts";
import { AccountMenu } from "./parts/account-menu.tsx";
import { Drawing, Icon } from "./parts/icon.tsx";
import { NoPage, Note } from "./parts/note.tsx";
import { PageSlot } from "./parts/page-slot.tsx";
import { address, place } from "./router.ts";
import { account, may, watchAccount } from "./session.ts";
import { frameWords, locale } from "./words.ts";

/** The console of somebody who is signed in. */
export function Frame() {
  const words = frameWords.value;
  const at = place.value;
  useEffect(() => {
    document.title = `${at?.page.title[locale.value] ?? words.notFound} · ${words.product}`;
  }, [at?.page, words]);
  useEffect(watchAccount, []);
  return (
    <>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <div class="frame">
        <Side at={at?.page} />
        <main id="content" tabIndex={-1}>
          {account.value?.organization.status === "frozen" && <Note look="warn">{words.frozen}</Note>}
          {at ? may(at.page.right) ? <PageSlot {...at} /> : <NoRight /> : <NotFound />}
          <p class="faint clock">{words.utc}</p>
        </main>
      </div>
    </>
  );
}

function Brand() {
  return (
    <a class="brand" href="/">
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path d="M4 18V9l8-5 8 5v9M9 18v-5l3-2 3 2v5" />
      </svg>
      {frameWords.value.product}
    </a>
  );
}

/** On a phone it is folded behind a button, and folds again when a page opens. */
function Side({ at }: { at: PageFacts | undefined }) {
  const words = frameWords.value;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [address.value]);
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === "Escape" && setOpen(false);
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, []);
  return (
    <header class={`side${isOpen ? " open" : ""}`}>
      <div class="side-top">
        <Brand />
        <button
          type="button"
          class="button quiet square menu-button"
          aria-label={words.menu}
          aria-expanded={isOpen ? "true" : "false"}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "close" : "menu"} />
        </button>
      </div>
      <div class="side-fold" id="navigation">
        <nav aria-label={words.menu}>
          {Object.entries(words.groups).map(([group, title]) => (
            <Group key={group} title={title} pages={pagesOf(group)} at={at} />
          ))}
        </nav>
        <AccountMenu />
      </div>
    </header>
  );
}

interface GroupProps {
  title: string;
  pages: readonly PageFacts[];
  at: PageFacts | undefined;
}

function Group({ title, pages, at }: GroupProps) {
  if (pages.length === 0) return null;
  return (
    <div class="group">
      <h2>{title}</h2>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <a href={page.path} aria-current={page === at ? "page" : undefined}>
              {page.menu && <Drawing strokes={page.menu.icon} />}
              {page.title[locale.value]}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What the reader sees of a group of the navigation, in its order. */
function pagesOf(group: string): PageFacts[] {
  const shown = pages.flatMap(({ page }) => (page.menu?.group === group && may(page.right) ? [page] : []));
  return shown.toSorted((one, other) => (one.menu?.place ?? 0) - (other.menu?.place ?? 0));
}

function NotFound() {
  const words = frameWords.value;
  return <NoPage title={words.notFound}>{words.notFoundLead}</NoPage>;
}

function NoRight() {
  const words = frameWords.value;
  const role = account.value?.role ?? "member";
  return <NoPage title={words.noRight}>{words.noRightLead(words.roles[role])}</NoPage>;
}
