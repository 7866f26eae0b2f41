/** What comes in place of a write over somebody else's: both versions side by side, and one's choice. */
import type { Noted } from "@rowgate/client/react-admin";
import { RowgateError, VersionConflict } from "@rowgate/client/react-admin";
import { type ReactNode, useState } from "react";
import { useNotify, useUpdate } from "react-admin";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { nameOf, settableOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { ConflictDialog } from "./ConflictDialog";
import type { Row } from "./values";

interface Conflict {
  base: Row;
  mine: Row;
  stored: Row | undefined;
}

interface Options {
  meta: Noted;
  onSaved: () => void;
  /** Called where one's own is dropped. */
  onReload: () => void;
}

interface Settling {
  /** Put what is entered beside what is stored by now. */
  compare: (base: Row, mine: Row) => Promise<void>;
  /** Take an error of a write: show both versions where somebody else was quicker, and else say it. */
  failed: (error: unknown, mine: Row, base: Row) => Promise<void>;
  dialog: ReactNode;
}

export function useConflict(model: Model, { meta, onSaved, onReload }: Options): Settling {
  const resource = nameOf(model);
  const notify = useNotify();
  const sentence = useSentence();
  const [update] = useUpdate();
  const [conflict, setConflict] = useState<Conflict>();
  const close = () => setConflict(undefined);

  const compare = async (base: Row, mine: Row) => setConflict({ base, mine, stored: await storedNow(resource, base.id) });
  const failed = async (error: unknown, mine: Row, base: Row) => {
    if (error instanceof VersionConflict) await compare(base, mine);
    else notify(sentence(error, settableOf(model, "update")), { type: "error" });
  };
  const settle = (values: Row, stored: Row) => {
    const options = {
      onSuccess: () => (close(), onSaved()),
      onError: (error: unknown) => void failed(error, values, stored),
      returnPromise: false as const,
    };
    void update(resource, { id: stored.id, data: values, previousData: stored, meta }, options);
  };
  const dialog = conflict && (
    <ConflictDialog model={model} {...conflict} onReload={() => (close(), onReload())} onCancel={close} onSettle={(values) => conflict.stored && settle(values, conflict.stored)} />
  );
  return { compare, failed, dialog };
}

/** A record as it is stored now; nothing where it was deleted. */
export async function storedNow(resource: string, id: string): Promise<Row | undefined> {
  try {
    return (await provider.getOne(resource, { id })).data as Row;
  } catch (error) {
    if (error instanceof RowgateError && error.status === 404) return undefined;
    throw error;
  }
}
