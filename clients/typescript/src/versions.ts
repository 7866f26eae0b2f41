/** The versions of records that were read or written, beside the objects, so that none is in what is sent back. */
const versions = new WeakMap<object, number>();

/** The version of a record as it came from the service; a copy of the object has none. */
export function versionOf(record: object): number | undefined {
  return versions.get(record);
}

/** The record, whose version is known from now on. */
export function versioned<T extends object>(record: T, version: number | undefined): T {
  if (version !== undefined) versions.set(record, version);
  return record;
}

/** The version in the entity tag of an answer. A proxy that compresses makes the tag weak. */
export function versionIn(response: Response): number | undefined {
  const found = /^(?:W\/)?"(\d+)-[0-9a-f]{16}"$/.exec(response.headers.get("etag") ?? "");
  return found ? Number(found[1]) : undefined;
}
