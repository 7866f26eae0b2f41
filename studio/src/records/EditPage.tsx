/** A record being changed, and what happens when somebody else has changed it meanwhile. */
import { VERSION } from "@rowgate/client/react-admin";
import { useQueryClient } from "@tanstack/react-query";
import { EditBase, useEditContext, useRedirect, useRefresh, useTranslate } from "react-admin";
import { useParams } from "react-router-dom";

import { labelOf, nameOf, shortId } from "../catalogue/catalogue";
import { useModel } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";
import { Missing, stay } from "../layout/Missing";
import { Page, useTrail } from "../layout/Page";
import { Meanwhile } from "./Meanwhile";
import { RecordForm } from "./RecordForm";
import { useConflict } from "./conflict";
import { dropDraft } from "./drafts";
import { type Row, writable } from "./values";

export default function EditPage() {
  const model = useModel();
  const resource = nameOf(model);
  const { id = "" } = useParams();
  const redirect = useRedirect();
  const refresh = useRefresh();
  const queries = useQueryClient();
  const { meta, tell } = useWrites(model.undoable);
  const draft = `${resource}/${id}`;

  const saved = () => {
    dropDraft(draft);
    tell("studio.record.saved");
    redirect("show", resource, id);
  };
  const { compare, failed, dialog } = useConflict(model, { meta, onSaved: saved, onReload: () => (dropDraft(draft), refresh()) });
  const show = (stored: Row) => queries.setQueryData([resource, "getOne", { id, meta }], stored);

  return (
    <EditBase
      id={id} mutationMode="pessimistic" redirect={false} transform={(data: Row) => writable(model, data)}
      mutationOptions={{
        meta,
        onSuccess: saved,
        onError: (error: unknown, { data, previousData }) => void failed(error, { ...(previousData as Row), ...(data as Row) }, previousData as Row),
      }}
      // react-admin wants what it reads to be asked for as what it writes. What fills the form is never read again by itself.
      queryOptions={{ meta, refetchOnWindowFocus: false, gcTime: 0, retry: false, onError: stay }}
    >
      <Form model={model} draft={draft} onCompare={compare} onShow={show} />
      {dialog}
    </EditBase>
  );
}

interface FormProps {
  model: Model;
  draft: string;
  onCompare: (base: Row, mine: Row) => Promise<void>;
  onShow: (stored: Row) => void;
}

function Form({ model, draft, onCompare, onShow }: FormProps) {
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
      {record && (
        <RecordForm
          model={model} on="update" draft={draft}
          notice={<Meanwhile key={String(record[VERSION])} model={model} record={record} onCompare={(entered) => void onCompare(record, entered)} onShow={onShow} />}
        />
      )}
    </Page>
  );
}
