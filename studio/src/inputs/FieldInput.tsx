/** The input of a field, by what it holds. */
import { InputAdornment } from "@mui/material";
import { BooleanInput, NullableBooleanInput, NumberInput, SelectInput, TextInput, useLocale, useRecordContext, useTranslate } from "react-admin";
import { useMemo } from "react";
import { useWatch } from "react-hook-form";

import { movesFrom, nameOf } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { bytes, currencyOf, milliseconds } from "../values/formats";
import type { CodeType } from "../values/codes";
import { inputOf } from "./choice";
import { CodeInput } from "./CodeInput";
import { FileInput } from "./FileInput";
import { LazyJsonInput } from "./LazyJsonInput";
import { MarkdownInput } from "./MarkdownInput";
import { MomentInput } from "./MomentInput";
import { MoneyInput } from "./MoneyInput";
import { PlainInput } from "./PlainInput";
import { PointInput } from "./PointInput";
import { PriceInput } from "./PriceInput";
import { PersonField } from "./PersonField";
import { ReferenceField } from "./ReferenceField";
import { StringsInput } from "./StringsInput";
import { UploadInput } from "./UploadInput";
import { validatorOf } from "./validation";

export interface InputProps {
  model: Model;
  field: Field;
  on: "create" | "update";
  autoFocus?: boolean | undefined;
}

/** What the inputs of all kinds take. */
export interface Shared {
  source: string;
  label: string;
  helperText: string | false;
  validate: (value: unknown) => string | undefined;
  isRequired: boolean;
  autoFocus?: boolean | undefined;
}

/** Longer strings get several lines. */
const ONE_LINE = 300;

function useShared({ model, field, on, autoFocus }: InputProps): Shared {
  const translate = useTranslate();
  const isRequired = Boolean(on === "create" ? field.required : !field.nullable && field.default === undefined && field.required);
  const validate = useMemo(() => validatorOf(field, isRequired, translate), [field, isRequired, translate]);
  // The input shows the unit itself.
  const told = field.display === undefined || field.display === "file" ? field.note && translate(`note.${field.note}`) : undefined;
  const note = field.readable ? told : `${told ?? ""} ${field.display === "file" ? "" : translate("studio.record.secret")}`.trim();
  return {
    source: field.name, label: `resources.${nameOf(model)}.fields.${field.name}`, helperText: note || false, validate, isRequired, autoFocus,
  };
}

export function FieldInput(props: InputProps) {
  const { field, model } = props;
  const shared = useShared(props);
  const { isAdmin } = usePerson();
  switch (inputOf(field, isAdmin)) {
    case "person":
      return <PersonField {...shared} />;
    case "reference":
      return <ReferenceField {...shared} target={field.references!.model} />;
    case "file":
      return <FileInput {...shared} />;
    case "upload":
      return <UploadInput {...shared} model={model} field={field} />;
    case "choice":
      return <NullableBooleanInput {...shared} fullWidth />;
    case "switch":
      return <BooleanInput {...shared} />;
    case "state":
      return <StateInput {...shared} model={model} field={field} on={props.on} />;
    case "amount":
      return <Amount {...shared} model={model} />;
    case "quantity":
      return <Quantity {...shared} field={field} />;
    case "moment":
      return <MomentInput {...shared} />;
    case "strings":
      return <StringsInput {...shared} items={field.constraints?.items} />;
    case "json":
      return <LazyJsonInput {...shared} shape={field.type === "vector" ? "array" : field.constraints?.shape} />;
    case "markdown":
      return <MarkdownInput {...shared} max={field.constraints?.maxLength} />;
    case "plain":
      return <PlainInput {...shared} field={field} />;
    case "price":
      return <PriceInput {...shared} />;
    case "code":
      return <CodeInput {...shared} type={field.type as CodeType} />;
    case "point":
      return <PointInput {...shared} />;
    case "line":
      return <Line {...shared} field={field} />;
  }
}

function Line({ field, isRequired, ...shared }: Shared & { field: Field }) {
  const { format, maxLength = 0 } = field.constraints ?? {};
  const type = !field.readable ? "password" : format === "email" ? "email" : format === "url" ? "url" : "text";
  const isLong = maxLength > ONE_LINE && type === "text";
  return (
    <TextInput
      {...shared} required={isRequired} type={type} multiline={isLong} fullWidth
      {...(isLong ? { minRows: 2, maxRows: 8 } : {})} {...(field.readable ? {} : { autoComplete: "new-password" })}
      parse={(value: string) => (value === "" && field.nullable ? null : value)}
    />
  );
}

function StateInput({ model, field, on, ...shared }: Shared & InputProps) {
  const record = useRecordContext();
  const choices = movesFrom(model, field, on === "update" ? record?.[field.name] : undefined).map((id) => ({ id, name: `value.${field.name}.${id}` }));
  const { isRequired, ...rest } = shared;
  return <SelectInput {...rest} isRequired={isRequired || !field.nullable} choices={choices} fullWidth margin="none" {...(field.nullable ? { emptyText: "studio.input.unset" } : {})} />;
}

function Amount({ model, ...shared }: Shared & { model: Model }) {
  const catalogue = useCatalogue();
  const currency = useWatch({ name: "currency" }) as unknown;
  return <MoneyInput {...shared} currency={currencyOf(model, { currency }, catalogue.currency)} />;
}

function Quantity({ field, isRequired, helperText, ...shared }: Shared & { field: Field }) {
  const locale = useLocale();
  const value = useWatch({ name: field.name }) as unknown;
  const isNumber = typeof value === "number" && Number.isFinite(value);
  const told =
    !isNumber ? "" : field.display === "bytes" ? bytes(value, locale) : field.display === "milliseconds" ? milliseconds(value, locale) : "";
  const unit = { bytes: "B", milliseconds: "ms", percent: "%", micros: "µ", money: "", file: "" }[field.display ?? "file"];
  return (
    <NumberInput
      {...shared} required={isRequired} fullWidth step={field.type === "integer" ? 1 : "any"} helperText={[helperText, told].filter(Boolean).join(" · ") || false}
      slotProps={unit ? { input: { endAdornment: <InputAdornment position="end">{unit}</InputAdornment> } } : {}}
    />
  );
}
