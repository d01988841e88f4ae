/** What a gateway has written, and must not leave behind. */

/**
 * Has something removed with the other parts, and again when the process exits. An exit does not wait for a part that
 * takes too long, and the parts after that one are then not removed. `remove` may be called twice.
 */
export function removeAtEnd(remove: () => void, parts: AsyncDisposableStack): void {
  process.once("exit", () => {
    try {
      remove();
    } catch {
      // The process has its exit code, and this must not change it.
    }
  });
  // Throws where the parts have ended already, as those of a start that was ended early.
  parts.defer(remove);
}
