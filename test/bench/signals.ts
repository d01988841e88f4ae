/** How a measurement ends that is told to stop. */

/** Ends what was started, and then the process with 1: a peer or a gateway would go on without its parent. */
export function endBySignal(parts: AsyncDisposableStack): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.once(signal, () => void parts.disposeAsync().finally(() => process.exit(1)));
  }
}
