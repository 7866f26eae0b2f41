/** The rows of a list in groups, each with how many it has and what they come to. */
import ChevronRightIcon from "@mui/icons-material/ChevronRightOutlined";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Filter } from "@rowgate/client/react-admin";
import { Alert, Box, ButtonBase, Typography } from "@mui/material";
import { useId, useMemo, useState } from "react";
import { useLocale, useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { nameOf, typeOf, valuesOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { valueOf } from "../dashboards/told";
import { number } from "../values/formats";
import { Value } from "../values/Value";
import { RecordTable } from "./RecordTable";
import { type Grouped, MOST_GROUPS, conditionOf, inOrder } from "./grouping";
import { type Of, useRows } from "./rows";
import type { Selection } from "./selection";
import { type Change, DENSITIES, type ListState } from "./state";
import { MOST_TOTALS, summed } from "./summing";

interface Props {
  model: Model;
  field: Field;
  state: ListState;
  change: Change;
  of: Of | undefined;
  filter: Filter;
  selection: Selection;
  touched: ReadonlySet<string>;
}

export default function Groups({ model, field, state, filter, ...shared }: Props) {
  const translate = useTranslate();
  const sentence = useSentence();
  const resource = nameOf(model);
  const totals = summed(model, state.totals).slice(0, MOST_TOTALS - 1);
  const { where, q } = filter as { where?: object; q?: string };
  const { data, error } = useQuery({
    queryKey: [resource, "aggregate", "groups", field.name, totals.map(({ name }) => name), filter],
    queryFn: ({ signal }) => provider.aggregate(resource, {
      ...(where ? { where } : {}), ...(q ? { search: q } : {}), group: [field.name], sort: ["-count"], take: MOST_GROUPS,
      measures: { count: true, ...(totals.length > 0 ? { sum: totals.map(({ name }) => name) } : {}) },
    }, signal),
    placeholderData: keepPreviousData,
  });
  const groups = useMemo(() => inOrder(typeOf(field) === "enum" ? valuesOf(field) : [], field.name, (data?.data ?? []) as unknown as Grouped[]), [data, field]);
  if (error) return <Alert severity="error">{sentence(error)}</Alert>;
  return (
    <Box sx={{ flex: 1, minHeight: 240, overflowY: "auto", border: 1, borderColor: "divider", borderRadius: 1, bgcolor: "background.paper" }}>
      {groups.map((group) => <Group key={JSON.stringify(group.group[field.name])} model={model} field={field} state={state} group={group} totals={totals} {...shared} />)}
      {data?.meta.more && <Typography variant="body2" color="text.secondary" sx={{ p: 1 }}>{translate("studio.list.group_more", { smart_count: MOST_GROUPS })}</Typography>}
    </Box>
  );
}

function Group({ model, field, group, totals, ...shared }: Omit<Props, "filter"> & { group: Grouped; totals: readonly Field[] }) {
  const translate = useTranslate();
  const locale = useLocale();
  const { currency } = useCatalogue();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const value = group.group[field.name];
  return (
    <Box component="section" aria-labelledby={id} sx={{ borderBottom: 1, borderColor: "divider" }}>
      <Box sx={{ display: "flex", alignItems: "center", gap: 1, minHeight: 36, px: 1 }}>
        <ButtonBase focusRipple aria-expanded={isOpen} aria-labelledby={id} onClick={() => setOpen(!isOpen)} sx={{ width: 28, height: 28, borderRadius: 1 }}>
          <ChevronRightIcon fontSize="small" sx={{ transform: isOpen ? "rotate(90deg)" : "none" }} />
        </ButtonBase>
        <Typography id={id} component="h2" variant="subtitle2"><Value model={model} field={field} record={{ [field.name]: value }} brief /></Typography>
        <Typography variant="body2" color="text.secondary">{number(group.count, locale)}</Typography>
        <Box component="dl" sx={{ display: "flex", flexWrap: "wrap", columnGap: 2, m: 0, marginInlineStart: "auto" }}>
          {totals.map((each) => {
            const sum = group.sum?.[each.name];
            return sum !== null && sum !== undefined && (
              <Typography key={each.name} component="div" variant="body2" sx={{ display: "flex", gap: 0.5 }}>
                <Typography component="dt" variant="body2" color="text.secondary">{translate(`resources.${nameOf(model)}.fields.${each.name}`)}</Typography>
                <Typography component="dd" variant="body2" sx={{ m: 0, fontWeight: 600, fontVariantNumeric: "tabular-nums" }}>{valueOf(each, Number(sum), currency, locale)}</Typography>
              </Typography>
            );
          })}
        </Box>
      </Box>
      {isOpen && <Members model={model} field={field} value={value} count={group.count} {...shared} />}
    </Box>
  );
}

/** Rows of a group that are in sight at once. */
const IN_SIGHT = 12;

function Members({ model, field, value, count, state, of, ...shared }: Omit<Props, "filter"> & { value: unknown; count: number }) {
  const translate = useTranslate();
  const within = useMemo<ListState>(() => ({ ...state, mode: "scroll", conditions: [...state.conditions, conditionOf(field, value)] }), [state, field, value]);
  const rows = useRows(model, within, of);
  const height = (Math.min(count, IN_SIGHT) + 1) * DENSITIES[state.density] + 16;
  const models = translate(`resources.${nameOf(model)}.name`, { smart_count: 2 });
  return <RecordTable model={model} state={state} rows={rows} height={height} title={translate("studio.list.table", { models, count: rows.total ?? count })} {...shared} />;
}
