/** The names of records of several models. */
import { useQueries } from "@tanstack/react-query";

import { provider } from "../api/provider";
import { labelOf, shortId } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";

/** The names of records by their ids, which one request brings for all of a model. */
export function useNames(entries: readonly { model: string; id: string }[]): ReadonlyMap<string, string> {
  const catalogue = useCatalogue();
  const models = [...new Set(entries.map(({ model }) => model))].filter((name) => catalogue.get(name)?.operations.list);
  const found = useQueries({
    queries: models.map((name) => {
      const ids = [...new Set(entries.filter(({ model }) => model === name).map(({ id }) => id))];
      return { queryKey: [name, "names", ids], queryFn: () => provider.getMany(name, { ids }) };
    }),
  });
  const named = found.flatMap(({ data }, place) => (data?.data ?? []).map((record): [string, string] => [String(record.id), labelOf(catalogue.get(models[place]!)!, record) ?? shortId(String(record.id))]));
  return new Map(named);
}
