/** A new record. The address may give it values: `?source={"companyId":"…"}`. */
import { Alert } from "@mui/material";
import { CreateBase, useNotify, useRedirect, useTranslate } from "react-admin";
import { useSearchParams } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { isSettable, labelOf, nameOf, settableOf } from "../catalogue/catalogue";
import { useModel } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { Page } from "../layout/Page";
import { RecordForm } from "./RecordForm";
import { dropDraft } from "./drafts";

/** The defaults that a form can show: those that the service works out are its own. */
function defaultsOf(model: Model): Record<string, unknown> {
  const usual = model.fields.filter((field) => isSettable(field, "create") && field.default !== undefined);
  const isKnown = (value: unknown) => !(typeof value === "string" && value.startsWith("$"));
  return Object.fromEntries(usual.filter(({ default: value }) => isKnown(value)).map(({ name, default: value }) => [name, value]));
}

function given(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function CreatePage() {
  const model = useModel();
  const resource = nameOf(model);
  const translate = useTranslate();
  const notify = useNotify();
  const redirect = useRedirect();
  const sentence = useSentence();
  const [search] = useSearchParams();
  const draft = `${resource}/create`;
  const title = translate("studio.record.new", { model: translate(`resources.${resource}.name`, { smart_count: 1 }) });
  const made = (record: Record<string, unknown> & { id: string }) => {
    dropDraft(draft);
    notify("studio.record.created", { type: "success", messageArgs: { record: labelOf(model, record) ?? translate(`resources.${resource}.name`, { smart_count: 1 }) } });
    redirect(() => `/${resource}/${record.id}/show`);
  };
  return (
    <Page title={title} trail={[{ title: translate(`resources.${resource}.name`, { smart_count: 2 }), to: `/${resource}` }]}>
      <CreateBase mutationOptions={{ onSuccess: made, onError: (error: unknown) => notify(sentence(error, settableOf(model, "create")), { type: "error" }) }}>
        {resource === "auth/user" && <Alert severity="info" sx={{ mb: 1 }}>{translate("studio.record.welcome")}</Alert>}
        <RecordForm model={model} on="create" draft={draft} values={{ ...defaultsOf(model), ...given(search.get("source")) }} />
      </CreateBase>
    </Page>
  );
}
