/** A line of text for a field of a model, under a name of this page, within the bounds that the service publishes. */
import { useMemo } from "react";
import { TextInput, useTranslate } from "react-admin";

import { fieldOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import { validatorOf } from "../inputs/validation";

interface Props {
  resource: string;
  source: string;
  label: string;
  type?: "text" | "email" | "url";
  isRequired?: boolean;
  autoFocus?: boolean;
  multiline?: boolean;
}

export function TextLine({ resource, source, label, type = "text", isRequired = false, autoFocus = false, multiline = false }: Props) {
  const translate = useTranslate();
  const model = useCatalogue().get(resource);
  const field = model && fieldOf(model, source);
  const validate = useMemo(() => (field ? validatorOf(field, isRequired, translate) : () => undefined), [field, isRequired, translate]);
  return (
    <TextInput
      source={source} label={label} type={type} validate={[validate]} required={isRequired} autoFocus={autoFocus} multiline={multiline} fullWidth
      helperText={false}
    />
  );
}
