import type { ComponentChildren } from "preact";
import { frameWords } from "../words.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  children: ComponentChildren;
  /** `main`: the one thing that the page or the dialog is for. */
  look?: "main" | "plain" | "quiet" | "danger";
  icon?: IconName;
  type?: "button" | "submit";
  /** What it started still runs. It cannot be pressed again, and says so. */
  isBusy?: boolean;
  isDisabled?: boolean;
  /** What it does and to what, where several on the page have the same text. */
  label?: string;
  isSmall?: boolean;
  onPress?: () => void;
}

/** A button that shows progress while what it started runs. */
export function Button(props: ButtonProps) {
  const { children, look = "plain", icon, type = "button", label, onPress } = props;
  const { isBusy, isDisabled, isSmall } = props;
  return (
    <button
      type={type}
      class={`button ${look}${isSmall ? " small" : ""}`}
      aria-label={label}
      aria-disabled={isBusy || isDisabled ? "true" : undefined}
      aria-busy={isBusy ? "true" : undefined}
      onClick={(event) => {
        // A disabled button would lose the focus, so it stays one that does nothing.
        if (isBusy || isDisabled) event.preventDefault();
        else onPress?.();
      }}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      <span>{children}</span>
      {isBusy && <span class="unseen">{frameWords.value.working}</span>}
    </button>
  );
}

interface LinkProps extends Pick<ButtonProps, "look" | "icon" | "children"> {
  href: string;
}

/** A link that looks like a button. */
export function ButtonLink({ href, look = "plain", icon, children }: LinkProps) {
  return (
    <a class={`button ${look}`} href={href}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}
