/** Which input a field gets, by what it holds. */
import { isFile, typeOf } from "../catalogue/catalogue";
import type { Field } from "../catalogue/types";

export type Input = "person" | "reference" | "file" | "upload" | "choice" | "switch" | "state" | "amount" | "quantity" | "moment" | "strings" | "json" | "markdown" | "plain" | "price" | "code" | "point" | "line";

/** `isAdmin`: users are listed to admins alone; others choose among those that they share an organization with. */
export function inputOf(field: Field, isAdmin: boolean): Input {
  if (isFile(field)) return "upload";
  if (field.references) return field.references.model === "auth/user" && !isAdmin ? "person" : "reference";
  if (field.display === "file") return "file";
  switch (typeOf(field)) {
    case "boolean":
      return field.nullable ? "choice" : "switch";
    case "enum":
      return "state";
    case "integer":
    case "number":
      return field.display === "money" ? "amount" : "quantity";
    case "timestamp":
      return "moment";
    case "array<string>":
      return "strings";
    case "json":
    case "vector":
      return "json";
    case "text":
      return "markdown";
    case "date":
    case "time":
    case "duration":
    case "decimal":
    case "color":
      return "plain";
    case "money":
      return "price";
    case "country":
    case "language":
    case "currency":
      return "code";
    case "point":
      return "point";
    default:
      return "line";
  }
}
