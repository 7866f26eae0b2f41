/** Pauses between attempts. */

/** A pause of `milliseconds`, which `signal` ends early. */
export function waited(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, signal?.aborted ? 0 : milliseconds);
    signal?.addEventListener("abort", over);
  });
}

/** How long to wait after so many failures in a row: twice as long each time, and not all clients at once. */
export function backoff(failures: number, first: number, longest: number): number {
  return Math.min(first * 2 ** Math.max(0, failures - 1), longest) * (0.5 + Math.random() / 2);
}
