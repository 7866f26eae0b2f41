/** How the parts and values of panels read. */
import { useLocale, useTranslate } from "react-admin";

import { fieldOf, typeOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { codeName } from "../values/codes";
import { bytes, compactMoney, micros, milliseconds, money, number, percent } from "../values/formats";
import type { Interval, Panel } from "./panels";

const SPANS: Record<Interval, Intl.DateTimeFormatOptions> = {
  day: { day: "numeric", month: "short" }, week: { day: "numeric", month: "short" }, month: { month: "short", year: "numeric" }, quarter: { month: "short", year: "numeric" }, year: { year: "numeric" },
};

export interface Words {
  /** A part of a chart, such as a stage or a month. */
  part: (key: string | null) => string;
  value: (value: number | null) => string;
  /** The same in few letters, as axes have it. */
  brief: (value: number) => string;
  /** What is measured, such as "Sum of Amount". */
  measure: string;
  group: string;
}

/** A sum, or another measure, of a field. */
export function valueOf(field: Field | undefined, value: number, currency: string, locale: string): string {
  switch (field?.display) {
    case "money": return money(value, currency, locale);
    case "micros": return micros(value, currency, locale);
    case "bytes": return bytes(value, locale);
    case "milliseconds": return milliseconds(value, locale);
    case "percent": return percent(value, locale);
    default: return number(value, locale);
  }
}

export function useWords(model: Model, panel: Panel): Words {
  const translate = useTranslate();
  const locale = useLocale();
  const { currency } = useCatalogue();
  const label = (name: string) => translate(`resources.${panel.model}.fields.${name}`);
  const [group, of] = [fieldOf(model, panel.group), fieldOf(model, panel.of)];
  const part = (key: string | null): string => {
    if (key === null || !group) return translate("studio.record.empty");
    const type = typeOf(group);
    if (type === "enum") return translate(`value.${group.name}.${key}`);
    if (type === "boolean") return translate(key === "true" ? "studio.input.yes" : "studio.input.no");
    if (type === "timestamp" || type === "date") return new Intl.DateTimeFormat(locale, { ...SPANS[panel.by], ...(type === "date" ? { timeZone: "UTC" } : {}) }).format(new Date(key));
    return type === "country" || type === "language" || type === "currency" ? codeName(type, key, locale) : key;
  };
  const value = (each: number | null): string => (each === null ? translate("studio.record.empty") : panel.measure === "count" ? number(each, locale) : valueOf(of, each, currency, locale));
  const brief = (each: number): string => (of?.display === "money" || of?.display === "micros") && panel.measure !== "count" ? compactMoney(of.display === "money" ? each / 100 : each / 1_000_000, currency, locale) : value(each);
  const measure = panel.measure === "count" ? translate("studio.dashboards.measures.count") : translate(`studio.dashboards.measured.${panel.measure}`, { field: label(panel.of) });
  return { part, value, brief, measure, group: group ? label(group.name) : "" };
}
