/** What is wrong with a value as it is typed, by the bounds that the service publishes. The service decides. */
import type { Field } from "../catalogue/types";
import { safeAddress } from "../values/links";

type Translate = (key: string, options?: object) => string;
type Validator = (value: unknown) => string | undefined;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** A validator of the field. `isRequired` says whether nothing will do. */
export function validatorOf(field: Field, isRequired: boolean, translate: Translate): Validator {
  const { minLength, maxLength, minimum, maximum, pattern, format, minItems, maxItems } = field.constraints ?? {};
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
      if (form && !form.test(value)) return translate("studio.input.pattern");
    }
    if (typeof value === "number") {
      if (Number.isNaN(value)) return translate("ra.validation.number");
      if (minimum !== undefined && value < minimum) return translate("ra.validation.minValue", { min: minimum });
      if (maximum !== undefined && value > maximum) return translate("ra.validation.maxValue", { max: maximum });
    }
    if (Array.isArray(value) && field.type === "array<string>") {
      if (minItems !== undefined && value.length < minItems) return translate("ra.validation.minLength", { min: minItems });
      if (maxItems !== undefined && value.length > maxItems) return translate("ra.validation.maxLength", { max: maxItems });
    }
    return undefined;
  };
}
