/** Which records are of the organization that somebody acts in. */
import { useMemo } from "react";

import { type Catalogue, fieldOf } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import type { Condition } from "../lists/conditions";

/** The condition that a record is of an organization, its parents' where it has none itself; undefined where it is of people. */
export function belongsTo(catalogue: Catalogue, model: Model, organizationId: string): object | undefined {
  const { kind, column = "" } = model.scope;
  const field = fieldOf(model, column);
  if (kind === "organization") return field?.references && field.filterable ? { [column]: organizationId } : undefined;
  const relation = kind === "parent" && field ? catalogue.relationOf(model, field) : undefined;
  const parent = relation && catalogue.get(relation.model);
  const ofParent = parent && belongsTo(catalogue, parent, organizationId);
  return ofParent && { [relation.name]: ofParent };
}

/** The condition that the switch of organizations makes on a list, unless that is asked by organization itself. */
export function useScope(model: Model, conditions: readonly Condition[]): object | undefined {
  const catalogue = useCatalogue();
  const { activeOrganizationId } = usePerson();
  const isAsked = conditions.some(([name]) => name === model.scope.column);
  return useMemo(
    () => (activeOrganizationId === null || isAsked ? undefined : belongsTo(catalogue, model, activeOrganizationId)),
    [activeOrganizationId, catalogue, isAsked, model],
  );
}
