/** Uploads with their progress, which `fetch` does not tell. */
import { RowgateError } from "@rowgate/client/react-admin";

import { current } from "../session/bearer";

/** Send a file, and give the id of its record; `advance` is told the share that is sent, in percent. */
export async function upload(file: File, advance: (percent: number) => void): Promise<string> {
  const { token } = await current();
  const form = new FormData();
  form.set("file", file);
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
