/** Bytes of files, which the service gives to whoever may read their record. */
import { RowgateError } from "@rowgate/client/react-admin";
import { useEffect, useState } from "react";

import type { Field, Model } from "../catalogue/types";
import { send } from "../session/transport";

/** The bytes at a path of the service; raises RowgateError. */
export async function bytesAt(path: string): Promise<Blob> {
  const response = await send(new Request(new URL(path, location.href)));
  if (!response.ok) throw await RowgateError.of(response);
  return response.blob();
}

/** Where the file is that a record has in a field, and a picture in one of its sizes. */
export function pathOf(model: Model, field: Field, id: string, size?: number): string {
  return `${model.path}/${id}/_files/${field.name}${size ? `?size=${size}` : ""}`;
}

/** An address of the picture at a path, as long as it is shown. */
export function usePicture(path: string | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    setAddress(undefined);
    if (path === undefined) return undefined;
    let made: string | undefined;
    let isGone = false;
    bytesAt(path).then((blob) => !isGone && setAddress((made = URL.createObjectURL(blob))), () => undefined);
    return () => {
      isGone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [path]);
  return address;
}

/** Let the browser save bytes under a name; they are never opened as a page. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
