/** A record being changed, and what happens when somebody else has changed it meanwhile. */
import { RowgateError, VersionConflict } from "@rowgate/client/react-admin";
import { useState } from "react";
import { EditBase, useEditContext, useNotify, useRedirect, useRefresh, useTranslate, useUpdate } from "react-admin";
import { useParams } from "react-router-dom";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { labelOf, nameOf, settableOf, shortId } from "../catalogue/catalogue";
import { useModel } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";
import { Missing, stay } from "../layout/Missing";
import { Page, useTrail } from "../layout/Page";
import { ConflictDialog } from "./ConflictDialog";
import { RecordForm } from "./RecordForm";
import { dropDraft } from "./drafts";
import { type Row, writable } from "./values";

interface Conflict {
  base: Row;
  mine: Row;
  stored: Row | undefined;
}

export function EditPage() {
  const model = useModel();
  const resource = nameOf(model);
  const { id = "" } = useParams();
  const notify = useNotify();
  const redirect = useRedirect();
  const refresh = useRefresh();
  const sentence = useSentence();
  const [update] = useUpdate();
  const { meta, tell } = useWrites(model.undoable);
  const [conflict, setConflict] = useState<Conflict>();
  const draft = `${resource}/${id}`;

  const saved = () => {
    dropDraft(draft);
    tell("studio.record.saved");
    redirect("show", resource, id);
  };
  const failed = async (error: unknown, mine: Row, base: Row) => {
    if (!(error instanceof VersionConflict)) return notify(sentence(error, settableOf(model, "update")), { type: "error" });
    const stored = await provider.getOne(resource, { id }).then(({ data }) => data as Row, (missing: unknown) => {
      if (missing instanceof RowgateError && missing.status === 404) return undefined;
      throw missing;
    });
    return setConflict({ base, mine, stored });
  };
  const settle = (values: Row, stored: Row) => {
    const options = {
      onSuccess: () => (setConflict(undefined), saved()),
      onError: (error: unknown) => void failed(error, values, stored),
      returnPromise: false as const,
    };
    void update(resource, { id, data: values, previousData: stored, meta }, options);
  };
  const reload = () => (dropDraft(draft), setConflict(undefined), refresh());

  return (
    <EditBase
      id={id} mutationMode="pessimistic" redirect={false} transform={(data: Row) => writable(model, data)}
      mutationOptions={{
        meta,
        onSuccess: saved,
        onError: (error: unknown, { data, previousData }) => void failed(error, { ...(previousData as Row), ...(data as Row) }, previousData as Row),
      }}
      // react-admin wants what it reads to be asked for as what it writes.
      queryOptions={{ meta, refetchOnWindowFocus: false, retry: false, onError: stay }}
    >
      <Form model={model} draft={draft} />
      {conflict && (
        <ConflictDialog
          model={model} {...conflict} onReload={reload} onCancel={() => setConflict(undefined)} onSettle={(values) => conflict.stored && settle(values, conflict.stored)}
        />
      )}
    </EditBase>
  );
}

function Form({ model, draft }: { model: Model; draft: string }) {
  const translate = useTranslate();
  const resource = nameOf(model);
  const list = useTrail(resource);
  const { record, error, isPending } = useEditContext<Row>();
  if (error) return <Missing error={error} resource={resource} />;
  const label = record ? (labelOf(model, record) ?? shortId(record.id)) : "";
  const trail = [
    ...list,
    ...(record ? [{ title: label, to: `/${resource}/${record.id}/show` }] : []),
  ];
  return (
    <Page title={isPending ? translate("studio.list.loading") : `${translate("studio.record.edit")}: ${label}`} trail={trail}>
      {record && <RecordForm model={model} on="update" draft={draft} />}
    </Page>
  );
}
