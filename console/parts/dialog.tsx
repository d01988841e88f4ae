import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { frameWords } from "../words.ts";
import { Icon } from "./icon.tsx";

/** What had the focus before a dialog. One that follows another gives it back to the same. */
let opener: HTMLElement | undefined;

interface DialogProps {
  title: string;
  onClose: () => void;
  isFirm?: boolean;
  children: ComponentChildren;
}

/** A dialog over the page, while it is drawn. Escape does not close a firm one, whose text cannot be seen again. */
export function Dialog({ title, onClose, isFirm = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    if (before instanceof HTMLElement && before !== document.body && !before.closest("dialog"))
      opener = before;
    shown?.showModal();
    // The first field, or else the first button, and not the cross above them.
    shown?.querySelector<HTMLElement>("form input, .stack input, .stack button")?.focus();
    return () => {
      shown?.close();
      // What opened it may be gone with what it has changed.
      (opener?.isConnected ? opener : document.querySelector<HTMLElement>("h1"))?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        // What is drawn decides, so the browser does not close it by itself.
        event.preventDefault();
        if (!isFirm) onClose();
      }}
      onClose={({ currentTarget: closed }) => {
        // Browsers close one in the end that prevents it again and again. The drawn one is closed by its owner.
        if (!closed.isConnected) return;
        if (isFirm) closed.showModal();
        else onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!isFirm && (
          <button
            type="button"
            class="button quiet square"
            aria-label={frameWords.value.close}
            onClick={onClose}
          >
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
