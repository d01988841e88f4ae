import type { ComponentChildren } from "preact";
import { locale } from "../locale.ts";
import { place } from "../router.ts";

/** The title of the page at the address. */
export const pageTitle = (): string => place.value?.page.title[locale.value] ?? "";

interface SheetProps {
  /** That of the page at the address where it is left out. */
  title?: string;
  lead?: ComponentChildren;
  /** Beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A page: its heading, which gets the focus when the page opens, and its content. */
export function Sheet({ title = pageTitle(), lead, actions, children }: SheetProps) {
  return (
    <div class="sheet">
      <header class="sheet-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps extends Omit<SheetProps, "title"> {
  title?: ComponentChildren;
}

/** A part of a page with a heading of its own. */
export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section class="section">
      {(title || actions) && (
        <header class="section-head">
          <div>
            {title && <h2>{title}</h2>}
            {lead && <p class="faint">{lead}</p>}
          </div>
          {actions && <div class="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

interface FigureProps {
  name: ComponentChildren;
  children: ComponentChildren;
  note?: ComponentChildren;
}

/** A figure with its name, and what it is compared with. */
export function Figure({ name, children, note }: FigureProps) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        <span class="value">{children}</span>
        {note && <span class="faint">{note}</span>}
      </dd>
    </div>
  );
}
