// @vitest-environment happy-dom
/** Files of records: uploaded when they are chosen, refused before that where they do not fit, and shown by their record. */
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import { sendFile } from "../src/api/uploads";
import type { Field } from "../src/catalogue/types";
import { FieldInput } from "../src/inputs/FieldInput";
import { inputOf } from "../src/inputs/choice";
import { send } from "../src/session/transport";
import { Value } from "../src/values/Value";
import { modelOf } from "./service";
import { entered, shown } from "./studio";

vi.mock("../src/api/uploads", () => ({ sendFile: vi.fn(), progress: { subscribe: () => () => undefined, get: () => undefined } }));
vi.mock("../src/session/transport", () => ({ send: vi.fn(), ask: vi.fn() }));

afterEach(() => (cleanup(), vi.clearAllMocks()));

const ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11";
const PICTURE: Field = {
  name: "pictureId", type: "image", settable: ["create", "update"], readable: true, nullable: true, references: { model: "storage/upload", onDelete: "set null" },
  constraints: { types: ["image/png"], maxBytes: 1024, sizes: [160, 960] },
};
const DEAL = modelOf("crm/deal");
const choose = (file: File) => act(async () => void fireEvent.change(document.querySelector("input[type=file]")!, { target: { files: [file] } }));
const asked = () => vi.mocked(send).mock.calls.map(([request]) => new URL(request.url)).map(({ pathname, search }) => pathname + search);

describe("a file that is chosen", () => {
  it("goes at once, and its id with the record", async () => {
    vi.mocked(sendFile).mockResolvedValue(ID);
    expect(inputOf(PICTURE, false)).toBe("upload");
    const submit = await entered(<FieldInput model={DEAL} field={PICTURE} on="create" />, {});
    await choose(new File(["pixels"], "boat.png", { type: "image/png" }));
    expect(await submit()).toEqual({ pictureId: ID });
    fireEvent.click(screen.getByRole("button", { name: "Remove the file" }));
    expect(await submit()).toEqual({ pictureId: null });
  });

  it.each<[string, File, string]>([
    ["of another type", new File(["words"], "words.txt", { type: "text/plain" }), "Choose a file of one of these types: image/png."],
    ["too large", new File(["x".repeat(1025)], "boat.png", { type: "image/png" }), "This file is larger than files may be: at most 1 KiB."],
  ])("is not sent where it is %s", async (_, file, said) => {
    await entered(<FieldInput model={DEAL} field={PICTURE} on="create" />, {});
    await choose(file);
    expect(screen.getByText(said)).toBeTruthy();
    expect(sendFile).not.toHaveBeenCalled();
  });
});

describe("the file of a record", () => {
  it.each<[string, boolean, string]>([["small in a table", true, "160"], ["large on its page", false, "960"]])("is %s", async (_, brief, size) => {
    vi.mocked(send).mockImplementation(() => Promise.resolve(new Response("pixels")));
    await shown(<Value model={DEAL} field={PICTURE} record={{ id: "7", pictureId: ID }} brief={brief} />);
    await waitFor(() => expect(document.querySelector("img")).toBeTruthy());
    expect(asked()).toEqual([`/api/v1/crm/deal/7/_files/pictureId?size=${size}`]);
  });

  it("is saved where it is no picture", async () => {
    vi.mocked(send).mockImplementation(() => Promise.resolve(new Response("bytes")));
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    await shown(<Value model={DEAL} field={{ ...PICTURE, name: "manualId", type: "file" }} record={{ id: "7", manualId: ID }} />);
    await act(async () => void fireEvent.click(screen.getByRole("button", { name: "Download" })));
    expect(asked()).toEqual(["/api/v1/crm/deal/7/_files/manualId"]);
    expect(clicked).toHaveBeenCalledOnce();
  });
});
