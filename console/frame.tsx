/** What stands around every page: navigation, the account's menu, and the note of what is read. */
import { useEffect, useState } from "preact/hooks";
import { AccountMenu } from "./parts/account-menu.tsx";
import { Icon } from "./parts/icon.tsx";
import { NoPage, Note } from "./parts/note.tsx";
import { PageSlot } from "./parts/page-slot.tsx";
import { type PageId, paths } from "./paths.ts";
import { navigation, rowOf } from "./registry.ts";
import { address, place } from "./router.ts";
import { account, may, watchAccount } from "./session.ts";
import { frameWords } from "./words.ts";

/** The console of somebody who is signed in. */
export function Frame() {
  const words = frameWords.value;
  const at = place.value;
  const row = at && rowOf(at.id);
  useEffect(() => {
    const name = at ? words.pages[at.id] : words.notFound;
    document.title = `${name} · ${words.product}`;
  }, [at?.id, words]);
  useEffect(watchAccount, []);
  return (
    <>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <div class="frame">
        <Side at={at?.id} />
        <main id="content" tabIndex={-1}>
          {account.value?.organization.status === "frozen" && <Note look="warn">{words.frozen}</Note>}
          {row && at ? may(row.right) ? <PageSlot row={row} rest={at.rest} /> : <NoRight /> : <NotFound />}
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
function Side({ at }: { at: PageId | undefined }) {
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
          {navigation.map(({ name, pages }) => (
            <Group key={name} title={words.groups[name]} pages={pages} at={at} />
          ))}
        </nav>
        <AccountMenu />
      </div>
    </header>
  );
}

function Group({ title, pages, at }: { title: string; pages: readonly PageId[]; at: PageId | undefined }) {
  const words = frameWords.value;
  const shown = pages.filter((id) => {
    const row = rowOf(id);
    return row && may(row.right);
  });
  if (shown.length === 0) return null;
  return (
    <div class="group">
      <h2>{title}</h2>
      <ul>
        {shown.map((id) => (
          <li key={id}>
            <a href={paths[id]} aria-current={id === at ? "page" : undefined}>
              <Icon name={id} />
              {words.pages[id]}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
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
