/** A value of a field as people read it. What comes from records is text to React, never markup. */
import { Box, Chip, Link, Stack, Tooltip } from "@mui/material";
import { useLocale, useTranslate } from "react-admin";

import { isFile, typeOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { FileValue } from "./FileValue";
import { currencyOf, bytes, distance, exact, exactMoment, micros, milliseconds, moment, money, number, percent, shortMoment } from "./formats";
import { mailAddress, safeAddress } from "./links";
import { RelationValue } from "./RelationValue";
import { toneOf } from "./tones";

export interface ValueProps {
  model: Model;
  field: Field;
  record: Readonly<Record<string, unknown>>;
  /** In a table, where one line has to do. */
  brief?: boolean;
}

/** What stands where there is nothing. */
export function Empty() {
  const translate = useTranslate();
  return (
    <>
      <span aria-hidden>–</span>
      <span style={HIDDEN}>{translate("studio.record.empty")}</span>
    </>
  );
}

/** For screen readers alone. */
export const HIDDEN = {
  position: "absolute", width: "1px", height: "1px", overflow: "hidden", clip: "rect(0 0 0 0)", whiteSpace: "nowrap",
} as const;

export function Value(props: ValueProps) {
  const { field, record, brief } = props;
  const value = record[field.name];
  if (value === null || value === undefined || value === "") return <Empty />;
  if (isFile(field)) return <FileValue model={props.model} field={field} id={String(record.id)} brief={brief} />;
  if (field.references) return <RelationValue {...props} id={String(value)} />;
  switch (typeOf(field)) {
    case "date":
    case "time":
    case "duration":
    case "decimal":
    case "money":
    case "country":
    case "language":
    case "currency":
    case "point":
      return <Exact type={field.type} value={value} />;
    case "color":
      return <Color value={String(value)} />;
    case "boolean":
      return <Truth value={Boolean(value)} />;
    case "enum":
      return <Badge field={field.name} value={String(value)} />;
    case "integer":
    case "number":
      return <Amount {...props} value={Number(value)} />;
    case "timestamp":
      return <Moment value={String(value)} brief={brief} />;
    case "array<string>":
      return <Several values={value as readonly string[]} />;
    case "json":
    case "vector":
      return <Structure value={value} />;
    default:
      return <Text {...props} value={String(value)} />;
  }
}

function Exact({ type, value }: { type: string; value: unknown }) {
  const locale = useLocale();
  return <span style={{ fontVariantNumeric: "tabular-nums" }}>{exact(type, value, locale) ?? JSON.stringify(value)}</span>;
}

function Color({ value }: { value: string }) {
  const isColor = /^#[0-9a-f]{6}$/.test(value);
  return (
    <Box component="span" sx={{ display: "inline-flex", alignItems: "center", gap: 0.75 }}>
      {isColor && <Box component="span" aria-hidden sx={{ width: 14, height: 14, borderRadius: "50%", border: 1, borderColor: "divider", bgcolor: value }} />}
      {value}
    </Box>
  );
}

export function Truth({ value }: { value: boolean }) {
  const translate = useTranslate();
  return <span>{translate(value ? "studio.input.yes" : "studio.input.no")}</span>;
}

export function Badge({ field, value }: { field: string; value: string }) {
  const translate = useTranslate();
  return <Chip size="small" variant="outlined" color={toneOf(value)} label={translate(`value.${field}.${value}`)} />;
}

function Amount({ model, field, record, value }: ValueProps & { value: number }) {
  const locale = useLocale();
  const { currency } = useCatalogue();
  const shown =
    field.display === "money" ? money(value, currencyOf(model, record, currency), locale)
    : field.display === "micros" ? micros(value, currency, locale)
    : field.display === "percent" ? percent(value, locale)
    : field.display === "bytes" ? bytes(value, locale)
    : field.display === "milliseconds" ? milliseconds(value, locale)
    : number(value, locale);
  return <span style={{ fontVariantNumeric: "tabular-nums" }}>{shown}</span>;
}

export function Moment({ value, brief }: { value: string; brief?: boolean | undefined }) {
  const locale = useLocale();
  if (Number.isNaN(Date.parse(value))) return <span>{value}</span>;
  if (brief) return <time dateTime={value} title={exactMoment(value, locale)}>{shortMoment(value, locale)}</time>;
  return (
    <Tooltip title={exactMoment(value, locale)}>
      <time dateTime={value}>{`${moment(value, locale)} (${distance(value, locale)})`}</time>
    </Tooltip>
  );
}

function Several({ values }: { values: readonly string[] }) {
  if (values.length === 0) return <Empty />;
  return (
    <Stack component="span" direction="row" spacing={0.5} useFlexGap sx={{ flexWrap: "wrap", display: "inline-flex" }}>
      {values.map((each, place) => <Chip key={place} component="span" size="small" label={each} />)}
    </Stack>
  );
}

function Structure({ value }: { value: unknown }) {
  const translate = useTranslate();
  if (Array.isArray(value) && value.length > 16 && value.every((each) => typeof each === "number")) {
    return <span>{translate("studio.input.vector", { count: value.length })}</span>;
  }
  return <Box component="code" sx={{ fontSize: "0.85em", overflowWrap: "anywhere" }}>{JSON.stringify(value)}</Box>;
}

function Text({ field, value, brief }: ValueProps & { value: string }) {
  const { format } = field.constraints ?? {};
  if (format === "email") return <Link href={mailAddress(value)}>{value}</Link>;
  const address = format === "url" ? safeAddress(value) : undefined;
  if (address) return <Link href={address} target="_blank" rel="noopener noreferrer nofollow">{value}</Link>;
  return brief ? <>{value.slice(0, 200)}</> : <span style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{value}</span>;
}
