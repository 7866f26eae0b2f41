/** Which columns have totals. */
import type { Field, Model } from "../catalogue/types";
import { measured } from "../dashboards/panels";

/** Sums that one query may ask for. */
export const MOST_TOTALS = 8;

/** The columns that can be summed up, of those that are named. */
export const summed = (model: Model, columns: readonly string[]): readonly Field[] => measured(model).filter(({ name, display }) => columns.includes(name) && display !== "percent");
