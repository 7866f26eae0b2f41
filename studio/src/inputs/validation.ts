/** What is wrong with a value as it is typed, by the bounds that the service publishes. The service decides. */
import type { Field } from "../catalogue/types";
import { decimalOf, isMoney, secondsOf } from "../values/exact";
import { safeAddress } from "../values/links";

type Translate = (key: string, options?: object) => string;
type Validator = (value: unknown) => string | undefined;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** A validator of the field. `isRequired` says whether nothing will do. */
export function validatorOf(field: Field, isRequired: boolean, translate: Translate): Validator {
  const { minLength, maxLength, minimum, maximum, scale, pattern, format, minItems, maxItems } = field.constraints ?? {};
  const form = pattern === undefined ? undefined : new RegExp(pattern, "u");
  return (value) => {
    if (value === undefined || value === null || value === "") {
      return isRequired && !(value === "" && minLength === undefined && field.type === "text") ? translate("ra.validation.required") : undefined;
    }
    if (typeof value === "string") {
      if (minLength !== undefined && value.length < minLength) return translate("ra.validation.minLength", { min: minLength });
      if (maxLength !== undefined && [...value].length > maxLength) return translate("ra.validation.maxLength", { max: maxLength });
      if (format === "email" && !EMAIL.test(value)) return translate("studio.input.email");
      if (format === "url" && !safeAddress(value)) return translate("studio.input.url");
      const wrong = EXACT[field.type]?.(value) === undefined && field.type in EXACT;
      if (wrong) return translate(`studio.input.no_${field.type}`);
      if (field.type === "decimal" && scale !== undefined && (value.split(".")[1]?.length ?? 0) > scale) return translate("studio.input.scale", { count: scale });
      if (field.type === "decimal") return outside(Number(value), minimum, maximum, translate);
      if (form && !form.test(value)) return translate("studio.input.pattern");
    }
    if (typeof value === "number") {
      if (Number.isNaN(value)) return translate("ra.validation.number");
      return outside(value, minimum, maximum, translate);
    }
    if (Array.isArray(value) && field.type === "array<string>") {
      if (minItems !== undefined && value.length < minItems) return translate("ra.validation.minLength", { min: minItems });
      if (maxItems !== undefined && value.length > maxItems) return translate("ra.validation.maxLength", { max: maxItems });
    }
    if (isMoney(value)) return decimalOf(value.amount) === undefined ? translate("studio.input.no_decimal") : outside(Number(value.amount), minimum, undefined, translate);
    if (field.type === "point" && Object.values(value as object).some((part) => !Number.isFinite(part))) return translate("studio.input.no_point");
    return undefined;
  };
}

/** What a text of each type is read as; undefined of one that is none. */
const EXACT: Record<string, (text: string) => string | undefined> = { decimal: decimalOf, duration: (text) => (secondsOf(text) === undefined ? undefined : text), color: (text) => (/^#[0-9a-f]{6}$/.test(text) ? text : undefined) };

function outside(value: number, minimum: number | string | undefined, maximum: number | string | undefined, translate: Translate): string | undefined {
  if (minimum !== undefined && value < Number(minimum)) return translate("ra.validation.minValue", { min: minimum });
  if (maximum !== undefined && value > Number(maximum)) return translate("ra.validation.maxValue", { max: maximum });
  return undefined;
}
