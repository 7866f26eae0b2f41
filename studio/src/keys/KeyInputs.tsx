/** The inputs of keys, for a new one and for one that is there. */
import { Box, Typography } from "@mui/material";
import { BooleanInput, DateInput, NumberInput, RadioButtonGroupInput, SelectInput, TextInput, maxLength, maxValue, minValue, required, useTranslate } from "react-admin";
import { useWatch } from "react-hook-form";

import { usePerson } from "../catalogue/context";
import { LazyJsonInput } from "../inputs/LazyJsonInput";
import { LEVELS, LIVES, type Level, ON_A_DATE, endOf, isAddress, linesOf } from "./values";

// The bounds are those of the service, which decides.
const NAME = [required(), maxLength(100)];
const isWhole = (value: unknown) => (typeof value === "number" && !Number.isInteger(value) ? "ra.validation.number" : undefined);
const LIMIT = [isWhole, minValue(1), maxValue(100_000)];
const METADATA_BYTES = 4096;

type Translate = (key: string, options?: object) => string;

export function NameInput() {
  return <TextInput source="name" label="studio.keys.name" validate={NAME} autoFocus fullWidth slotProps={{ htmlInput: { "aria-required": true } }} helperText={false} autoComplete="off" />;
}

/** Nobody gives a key more than they have; one that has more shows it. */
export function ScopeInput({ has }: { has?: Level }) {
  const translate = useTranslate();
  const { isAdmin } = usePerson();
  const choices = LEVELS.filter((level) => level !== "admin" || isAdmin || has === "admin").map((id) => ({ id }));
  const told = ({ id }: { id: Level }) => (
    <Box component="span" sx={{ display: "block", py: 0.5 }}>
      {translate(`studio.keys.scope_${id}`)}
      <Typography component="span" variant="body2" color="text.secondary" sx={{ display: "block" }}>{translate(`studio.keys.scope_${id}_text`)}</Typography>
    </Box>
  );
  return <RadioButtonGroupInput source="scopes" label="studio.keys.scopes" choices={choices} optionText={told} translateChoice={false} row={false} isRequired validate={required()} helperText={false} />;
}

export function ExpiryInput() {
  const translate = useTranslate();
  const isDate = useWatch({ name: "life" }) === ON_A_DATE;
  const choices = [...LIVES.map((days) => ({ id: days, name: translate("studio.keys.expires_in", { smart_count: days }) })), { id: ON_A_DATE, name: translate("studio.keys.expires_on") }];
  const check = (date: unknown) => {
    const end = endOf(ON_A_DATE, date);
    if (end === undefined) return translate("ra.validation.required");
    return Date.parse(end) > Date.now() ? undefined : translate("studio.keys.expires_past");
  };
  return (
    <>
      <SelectInput source="life" label="studio.keys.expires" choices={choices} translateChoice={false} validate={required()} isRequired fullWidth helperText={false} />
      {isDate && <DateInput source="expiresAt" label="studio.keys.expires_on" validate={check} isRequired fullWidth helperText={false} />}
    </>
  );
}

function wrongAddress(text: unknown, translate: Translate): string | undefined {
  const address = linesOf(text).find((each) => !isAddress(each));
  return address === undefined ? undefined : translate("studio.keys.addresses_wrong", { address });
}

export function AddressesInput() {
  const translate = useTranslate();
  return (
    <TextInput
      source="ipAllowList" label="studio.keys.addresses" helperText="studio.keys.addresses_text" validate={(text: unknown) => wrongAddress(text, translate)} multiline minRows={2} maxRows={8} fullWidth
      slotProps={{ htmlInput: { spellCheck: false, autoCapitalize: "off" } }}
    />
  );
}

export function LimitInput({ isRequired = false }: { isRequired?: boolean }) {
  return (
    <NumberInput
      source="requests" label="studio.keys.limit" helperText="studio.keys.limit_text" validate={isRequired ? [required(), ...LIMIT] : LIMIT} isRequired={isRequired} min={1} step={1} fullWidth
    />
  );
}

/** A limit, or none: to take one away is a choice of its own, which nobody makes by leaving an input empty. */
export function OwnLimitInput() {
  const isOwn = useWatch({ name: "own" }) as unknown;
  return (
    <>
      <BooleanInput source="own" label="studio.keys.limit_own" helperText={isOwn ? false : "studio.keys.limit_text"} />
      {isOwn === true && <LimitInput isRequired />}
    </>
  );
}

export function MetadataInput() {
  const translate = useTranslate();
  const check = (value: unknown) => {
    const size = value ? new TextEncoder().encode(JSON.stringify(value)).length : 0;
    return size > METADATA_BYTES ? translate("ra.validation.maxLength", { max: METADATA_BYTES }) : undefined;
  };
  return <LazyJsonInput source="metadata" label="studio.keys.metadata" helperText={false} validate={check} isRequired={false} shape="object" />;
}
