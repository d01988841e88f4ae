/** What stands around a page: the navigation with a menu below it, and the way to the content. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageFacts } from "../page.ts";
import { pages } from "../pages.ts";
import { address, place } from "../router.ts";
import { may } from "../session.ts";
import { frameWords, locale } from "../words.ts";
import { Drawing, Icon } from "./icon.tsx";

interface ShellProps {
  /** Where the name at the top leads. */
  home: string;
  /** The groups of the navigation with their titles, in their order. */
  groups: Readonly<Record<string, string>>;
  /** Who is signed in. */
  menu: ComponentChildren;
  children: ComponentChildren;
}

export function Shell({ children, ...side }: ShellProps) {
  const words = frameWords.value;
  const at = place.value;
  useEffect(() => {
    document.title = `${at?.page.title[locale.value] ?? words.notFound} · ${words.product}`;
  }, [at?.page, words]);
  return (
    <>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <div class="frame">
        <Side {...side} />
        <main id="content" tabIndex={-1}>
          {children}
          <p class="faint clock">{words.utc}</p>
        </main>
      </div>
    </>
  );
}

function Brand({ home }: Pick<ShellProps, "home">) {
  return (
    <a class="brand" href={home}>
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path d="M4 18V9l8-5 8 5v9M9 18v-5l3-2 3 2v5" />
      </svg>
      {frameWords.value.product}
    </a>
  );
}

/** On a phone it is folded behind a button, and folds again when a page opens. */
function Side({ home, groups, menu }: Omit<ShellProps, "children">) {
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
        <Brand home={home} />
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
          {Object.entries(groups).map(([group, title]) => (
            <Group key={group} title={title} pages={pagesOf(group)} />
          ))}
        </nav>
        {menu}
      </div>
    </header>
  );
}

interface GroupProps {
  title: string;
  pages: readonly PageFacts[];
}

function Group({ title, pages }: GroupProps) {
  if (pages.length === 0) return null;
  return (
    <div class="group">
      <h2>{title}</h2>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <a href={page.path} aria-current={page === place.value?.page ? "page" : undefined}>
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
  const shown = pages.value.flatMap(({ page }) =>
    page.menu?.group === group && may(page.right) ? [page] : [],
  );
  return shown.toSorted((one, other) => (one.menu?.place ?? 0) - (other.menu?.place ?? 0));
}
