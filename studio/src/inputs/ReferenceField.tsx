/** A reference: found by its words, or made on the spot. */
import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from "@mui/material";
import { useEffect, useRef } from "react";
import { AutocompleteInput, CreateBase, Form, ReferenceInput, SaveButton, TextInput, useCreateSuggestionContext, useTranslate } from "react-admin";

import { labelOf, shortId } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { RecordInputs } from "../records/RecordInputs";
import type { Shared } from "./FieldInput";

export function ReferenceField({ source, label, helperText, validate, isRequired, autoFocus, target: name }: Shared & { target: string }) {
  const translate = useTranslate();
  const target = useCatalogue().get(name);
  const input = useFocusAtFirst(autoFocus ?? false);
  if (!target) return null;
  // Who may not list them knows the ID, or has none.
  if (!target.operations.list) return <TextInput source={source} label={label} helperText={helperText} validate={[validate]} isRequired={isRequired} fullWidth parse={(value: string) => value || null} />;
  const told = (record: Record<string, unknown> | null) => (record?.id ? (labelOf(target, record) ?? shortId(String(record.id))) : "");
  return (
    <ReferenceInput source={source} reference={name} perPage={25} sort={{ field: "createdAt", order: "DESC" }}>
      <AutocompleteInput
        label={label} helperText={helperText} validate={[validate]} isRequired={isRequired} TextFieldProps={{ inputRef: input }} fullWidth optionText={told}
        filterToQuery={(words: string) => (words ? searchFor(target, words) : {})} inputText={told} matchSuggestion={() => true} debounce={200}
        {...(target.operations.create && name !== "auth/organization" ? { create: <CreateTarget target={target} name={name} />, createItemLabel: translate("studio.record.create_option", { words: "%{item}" }) } : {})}
      />
    </ReferenceInput>
  );
}

/** Focus an input once it is there, as a click does: then the choices open, too. */
function useFocusAtFirst(isWanted: boolean) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const timer = isWanted ? setTimeout(() => input.current?.focus()) : undefined;
    return () => clearTimeout(timer);
  }, [isWanted]);
  return input;
}

/** Search in the text of the model; where it has none, by the beginning of its name. */
function searchFor(target: Model, words: string): object {
  if (target.searchable) return { q: words };
  const first = target.fields.find(({ name, operators }) => target.label?.includes(name) && operators?.includes("contains"));
  return first ? { where: { [first.name]: { contains: words } } } : {};
}

function CreateTarget({ target, name }: { target: Model; name: string }) {
  const translate = useTranslate();
  const { filter, onCancel, onCreate } = useCreateSuggestionContext();
  const title = useRef<HTMLHeadingElement>(null);
  const [first] = target.label ?? [];
  return (
    <Dialog open onClose={onCancel} fullWidth aria-labelledby="create-target" slotProps={{ transition: { onEntered: () => title.current?.focus() } }}>
      <CreateBase resource={name} redirect={false} mutationOptions={{ onSuccess: (made) => onCreate(made) }}>
        {/* The event of this form would otherwise reach the form behind it, too. */}
        <div onSubmit={(event) => event.stopPropagation()}>
          <Form record={first && filter ? { [first]: filter } : {}}>
            <DialogTitle id="create-target" ref={title} tabIndex={-1}>{translate("studio.record.new", { model: translate(`resources.${name}.name`, { smart_count: 1 }) })}</DialogTitle>
            <DialogContent><RecordInputs model={target} on="create" brief /></DialogContent>
            <DialogActions>
              <Button onClick={onCancel}>{translate("studio.record.cancel")}</Button>
              <SaveButton alwaysEnable />
            </DialogActions>
          </Form>
        </div>
      </CreateBase>
    </Dialog>
  );
}
