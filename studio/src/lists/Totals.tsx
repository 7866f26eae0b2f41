/** The totals of columns, beneath a list: of all that it shows, not of the rows in sight alone. */
import { useQuery } from "@tanstack/react-query";
import type { Filter } from "@rowgate/client/react-admin";
import { Stack, Typography } from "@mui/material";
import { useLocale, useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { valueOf } from "../dashboards/told";
import { MOST_TOTALS, summed } from "./summing";

export default function Totals({ model, names, filter }: { model: Model; names: readonly string[]; filter: Filter }) {
  const translate = useTranslate();
  const locale = useLocale();
  const { currency } = useCatalogue();
  const resource = nameOf(model);
  const fields = summed(model, names).slice(0, MOST_TOTALS);
  const { where, q } = filter as { where?: object; q?: string };
  const { data } = useQuery({
    queryKey: [resource, "aggregate", "totals", fields.map(({ name }) => name), filter],
    queryFn: ({ signal }) => provider.aggregate(resource, { ...(where ? { where } : {}), ...(q ? { search: q } : {}), group: [], measures: { sum: fields.map(({ name }) => name) } }, signal),
    enabled: fields.length > 0,
  });
  const sums = (data?.data[0]?.sum ?? {}) as Record<string, number | string | null>;
  return (
    <Stack component="dl" direction="row" useFlexGap sx={{ flexWrap: "wrap", columnGap: 2, m: 0 }}>
      {fields.filter(({ name }) => sums[name] !== null && sums[name] !== undefined).map((field) => (
        <Typography key={field.name} component="div" variant="body2" sx={{ display: "flex", gap: 0.5 }}>
          <Typography component="dt" variant="body2" color="text.secondary">{translate("studio.dashboards.measured.sum", { field: translate(`resources.${resource}.fields.${field.name}`) })}</Typography>
          <Typography component="dd" variant="body2" sx={{ m: 0, fontWeight: 600, fontVariantNumeric: "tabular-nums" }}>{valueOf(field, Number(sums[field.name]), currency, locale)}</Typography>
        </Typography>
      ))}
    </Stack>
  );
}
