/** An answer that is no success, of a route that streams or of a list. */
export class RowgateError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds after which the service wants to be asked again, where it says so. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = "RowgateError";
  }

  /** Read the error body of an answer, in the shape of any route family. */
  static async of(response: Response): Promise<RowgateError> {
    const body: unknown = await response.json().catch(() => null);
    const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown };
    const message = typeof error === "string" ? error : response.statusText;
    const seconds = response.headers.get("retry-after") ?? "";
    const retryAfter = /^\d+$/.test(seconds) ? Number(seconds) : undefined;
    return new RowgateError(response.status, typeof code === "string" ? code : "UNKNOWN_ERROR", message, retryAfter);
  }
}
