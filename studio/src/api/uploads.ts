/** Records with a file: a small file goes in them, a larger one on its own, with its progress, which `fetch` does not tell. */
import { RowgateError } from "@rowgate/client/react-admin";
import type { Noted, Row } from "@rowgate/client/react-admin";

import { current } from "../session/bearer";
import { Refusal } from "./sentences";

type Values = Record<string, unknown>;

/** Bytes of a file that goes in the JSON of its record, which has to fit a body. */
const INSIDE = 512 * 1024;

let percent: number | undefined;
const listeners = new Set<() => void>();

/** How much of the file is sent that goes now, in percent. */
export const progress = {
  get: () => percent,
  subscribe(then: () => void) {
    listeners.add(then);
    return () => listeners.delete(then);
  },
};

function advance(share: number | undefined): void {
  percent = share;
  for (const each of listeners) each();
}

/** What creates, changes and deletes the records. */
interface Writer {
  create: (resource: string, given: { data: Values; meta?: Noted }) => Promise<{ data: Row }>;
  update: (resource: string, given: { id: string; data: Values }) => Promise<{ data: Row }>;
  delete: (resource: string, given: { id: string }) => Promise<unknown>;
}

/** Create a record out of a form, which may hold a file. */
export async function createWithFile(writer: Writer, resource: string, data: Values, meta: Noted = {}): Promise<{ data: Row }> {
  const [name, file] = Object.entries(data).find((entry): entry is [string, File] => entry[1] instanceof File) ?? [];
  if (!name || !file) return writer.create(resource, { data, meta });
  if (file.size <= INSIDE) return writer.create(resource, { data: { ...data, [name]: await base64(file) }, meta });
  const { [name]: _, filename, contentType, bucketId, ...rest } = data;
  if (bucketId) throw new Refusal("studio.input.file_bucket");
  const id = await sendFile(file, String(filename || file.name), String(contentType || file.type));
  try {
    return await writer.update(resource, { id, data: rest });
  } catch (error) {
    // The form is still there, and is saved again once it is mended.
    await writer.delete(resource, { id });
    throw error;
  }
}

async function base64(file: File): Promise<string> {
  const content = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let start = 0; start < content.length; start += 0x8000) text += String.fromCharCode(...content.subarray(start, start + 0x8000));
  return btoa(text);
}

/** Send a file on its own, telling the progress, and give the id of its record. */
export function sendFile(file: File, filename: string, type: string): Promise<string> {
  return upload(file, filename, type).finally(() => advance(undefined));
}

async function upload(file: File, filename: string, type: string): Promise<string> {
  const { token } = await current();
  const form = new FormData();
  form.set("file", new File([file], filename, { type }));
  const request = new XMLHttpRequest();
  request.open("POST", "/api/upload");
  request.setRequestHeader("Authorization", `Bearer ${token}`);
  request.upload.onprogress = ({ loaded, total }) => advance((loaded / total) * 100);
  await new Promise<void>((resolve, reject) => {
    request.onload = () => resolve();
    request.onerror = () => reject(new TypeError("The connection was lost"));
    request.send(form);
  });
  const headers = { "X-Request-Id": request.getResponseHeader("X-Request-Id") ?? "" };
  if (request.status !== 200) throw await RowgateError.of(new Response(request.responseText, { status: request.status, headers }));
  return (request.getResponseHeader("Location") ?? "").split("/").at(-1) ?? "";
}
