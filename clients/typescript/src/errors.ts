/** An answer that is no success. */
export class RowgateError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds after which the service wants to be asked again, where it says so. */
    readonly retryAfter?: number,
    /** What the error body says further, such as `items` of a write of many records. */
    readonly details: unknown = undefined,
    /** By which the service's logs know the request. */
    readonly requestId?: string,
  ) {
    super(message);
    this.name = "RowgateError";
  }

  /** Read the error body of an answer, in the shape of any route family. */
  static async of(response: Response): Promise<RowgateError> {
    const body: unknown = await response.json().catch(() => null);
    const { error, code, details } = (body ?? {}) as { error?: unknown; code?: unknown; details?: unknown };
    const message = typeof error === "string" ? error : response.statusText;
    const known = typeof code === "string" ? code : response.status === 412 ? VersionConflict.CODE : "UNKNOWN_ERROR";
    const kind = known === VersionConflict.CODE ? VersionConflict : RowgateError;
    const requestId = response.headers.get("x-request-id") ?? undefined;
    return new kind(response.status, known, message, retryAfter(response), details, requestId);
  }
}

/** A write was for another version of the record than the stored one: somebody else has changed it since. */
export class VersionConflict extends RowgateError {
  static readonly CODE = "PRECONDITION_FAILED";

  /** The version that is stored, where the answer says it. */
  get version(): number | undefined {
    const { version } = (this.details ?? {}) as { version?: unknown };
    return typeof version === "number" ? version : undefined;
  }
}

/** Seconds after which the service wants to be asked again. */
export function retryAfter(response: Response): number | undefined {
  const seconds = response.headers.get("retry-after") ?? "";
  return /^\d+$/.test(seconds) ? Number(seconds) : undefined;
}
