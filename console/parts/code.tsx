import { Copy } from "./copy.tsx";

/** Code to read and to take away. It scrolls sideways by the arrow keys too. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it with the arrow keys. */}
      <section tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <Copy text={text} />
    </div>
  );
}
