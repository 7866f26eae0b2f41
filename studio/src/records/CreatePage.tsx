/** A new record. The address may give it values: `?source={"companyId":"…"}`. */
import { Alert } from "@mui/material";
import { CreateBase, useNotify, useRedirect, useTranslate } from "react-admin";
import { useSearchParams } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { labelOf, nameOf, settableOf } from "../catalogue/catalogue";
import { useModel } from "../catalogue/context";
import { useWrites } from "../changes/undo";
import { Page, useTrail } from "../layout/Page";
import { RecordForm } from "./RecordForm";
import { dropDraft } from "./drafts";
import { defaultsOf, given } from "./values";

export default function CreatePage() {
  const model = useModel();
  const resource = nameOf(model);
  const translate = useTranslate();
  const notify = useNotify();
  const { meta, tell } = useWrites(model.undoable);
  const redirect = useRedirect();
  const sentence = useSentence();
  const [search] = useSearchParams();
  const trail = useTrail(resource);
  const draft = `${resource}/create`;
  const title = translate("studio.record.new", { model: translate(`resources.${resource}.name`, { smart_count: 1 }) });
  const made = (record: Record<string, unknown> & { id: string }) => {
    dropDraft(draft);
    tell("studio.record.created", { record: labelOf(model, record) ?? translate(`resources.${resource}.name`, { smart_count: 1 }) });
    const { read, list } = model.operations;
    redirect(() => (read ? `/${resource}/${record.id}/show` : list ? `/${resource}` : "/"));
  };
  return (
    <Page title={title} trail={trail}>
      <CreateBase mutationOptions={{ meta, onSuccess: made, onError: (error: unknown) => notify(sentence(error, settableOf(model, "create")), { type: "error" }) }}>
        {resource === "auth/user" && <Alert severity="info" sx={{ mb: 1 }}>{translate("studio.record.welcome")}</Alert>}
        <RecordForm model={model} on="create" draft={draft} values={{ ...defaultsOf(model), ...given(search.get("source")) }} />
      </CreateBase>
    </Page>
  );
}
