import type { ComponentChildren } from "preact";

/** What has become of a write. It is read aloud when it comes, and takes no room before. */
export function Told({ children }: { children: ComponentChildren }) {
  return (
    <div role="status" class={children ? undefined : "unseen"}>
      {children}
    </div>
  );
}
