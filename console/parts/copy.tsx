import { useEffect, useState } from "preact/hooks";
import { frameWords } from "../words.ts";
import { Icon } from "./icon.tsx";

/** A button that copies a text and says that it did. */
export function Copy({ text, label }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const words = frameWords.value;
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" class="button plain" onClick={() => copy().catch(() => setCopied(false))}>
      <Icon name={isCopied ? "check" : "copy"} />
      <span aria-live="polite">{isCopied ? words.copied : (label ?? words.copy)}</span>
    </button>
  );
}

/** A text to take away, whole, with its button. A click selects it, where the browser lets nobody copy. */
export function Secret({ text, label }: { text: string; label: string }) {
  return (
    <div class="secret">
      <input
        readOnly
        value={text}
        aria-label={label}
        spellcheck={false}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Copy text={text} />
    </div>
  );
}
