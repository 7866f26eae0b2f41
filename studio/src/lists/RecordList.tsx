/** A list of records: search and filters above, the rows, and how many there are. */
import { Alert, Box, Button, LinearProgress, Stack, Typography, useMediaQuery } from "@mui/material";
import { Suspense, lazy } from "react";
import { useLocale, useTranslate } from "react-admin";
import { Link } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { fieldOf, labelOf, nameOf, shortId } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { LastChange } from "../live/LastChange";
import { useTouched } from "../live/heard";
import { Pager } from "./Pager";
import { RecordCards } from "./RecordCards";
import { RecordTable } from "./RecordTable";
import { Toolbar } from "./Toolbar";
import { type Of, type Rows, useFilter, useRows } from "./rows";
import { useSelection } from "./selection";
import { type Change, type ListState, useLocal } from "./state";

const BulkActions = lazy(() => import("./BulkActions"));
const Groups = lazy(() => import("./Groups"));
const Totals = lazy(() => import("./Totals"));

interface Props {
  model: Model;
  state: ListState;
  change: Change;
  of?: Of | undefined;
}

/** Pixels of a list inside of another page. */
const INSIDE = 420;

/** A list inside of another page. */
export function RecordList({ model, of }: { model: Model; of: Of }) {
  const [state, change] = useLocal(model);
  return <Box sx={{ display: "flex", flexDirection: "column" }}><Listed model={model} state={state} change={change} of={of} /></Box>;
}

export function Listed({ model, state, change, of }: Props) {
  const translate = useTranslate();
  const rows = useRows(model, state, of);
  const filter = useFilter(model, state, of);
  const selection = useSelection();
  const isPhone = useMediaQuery("(max-width: 700px)");
  const models = translate(`resources.${nameOf(model)}.name`, { smart_count: 2 });
  const count = useCount(rows);
  const isEmpty = !rows.isPending && rows.rows.length === 0 && !rows.error;
  const touched = useTouched(nameOf(model), (id) => {
    const record = rows.rows.find((each) => each.id === id);
    return record && (labelOf(model, record) ?? shortId(id));
  });
  // A ranked list has an order of its own.
  const group = state.byMeaning ? undefined : fieldOf(model, state.group);
  const shown = { model, state, change, rows, selection, title: translate("studio.list.table", { models, count }), height: of ? INSIDE : undefined, touched: new Set(touched.map(({ recordId }) => recordId)) };
  return (
    <>
      <Toolbar model={model} state={state} change={change} rows={rows} of={of} selection={selection} />
      <Box sx={{ height: 2, "& > *": { height: 2 } }}>{rows.isFetching && <LinearProgress aria-label={translate("studio.list.loading")} />}</Box>
      {rows.error && rows.rows.length === 0 ? <Failed rows={rows} /> : isEmpty ? <Nothing model={model} state={state} change={change} of={of} models={models} />
        : group ? <Suspense fallback={null}><Groups model={model} field={group} state={state} change={change} of={of} filter={filter} selection={selection} touched={shown.touched} /></Suspense>
        : isPhone ? <RecordCards {...shown} /> : <RecordTable {...shown} />}
      <Stack direction="row" useFlexGap sx={{ alignItems: "center", flexWrap: "wrap", gap: 1, minHeight: 28, flexShrink: 0 }}>
        <Typography variant="body2" color="text.secondary" role="status">{isEmpty ? "" : count}</Typography>
        {state.totals.length > 0 && !isEmpty && !rows.rankedBy && <Suspense fallback={null}><Totals model={model} names={state.totals} filter={filter} /></Suspense>}
        <Box sx={{ flex: 1 }}><LastChange touched={touched} /></Box>
        {rows.isBehind && <Button onClick={rows.restart}>{translate("studio.live.behind")}</Button>}
        {state.mode === "pages" && !group && !rows.rankedBy && !isEmpty && <Pager state={state} change={change} total={rows.total} />}
      </Stack>
      {selection.ids.size > 0 && <Suspense fallback={null}><BulkActions model={model} state={state} selection={selection} of={of} /></Suspense>}
    </>
  );
}

function useCount({ total, rankedBy }: Rows): string {
  const translate = useTranslate();
  const locale = useLocale();
  if (total === undefined) return translate("studio.list.counting");
  return translate(rankedBy ? `studio.list.ranked_by_${rankedBy}` : "studio.list.count", { smart_count: total }).replace(String(total), new Intl.NumberFormat(locale).format(total));
}

function Failed({ rows }: { rows: Rows }) {
  const translate = useTranslate();
  const sentence = useSentence();
  return <Alert severity="error" action={<Button color="inherit" onClick={rows.again}>{translate("studio.list.retry")}</Button>}>{sentence(rows.error)}</Alert>;
}

function Nothing({ model, state, change, of, models }: Props & { models: string }) {
  const translate = useTranslate();
  const isFiltered = state.q !== "" || state.conditions.length > 0;
  return (
    <Box sx={{ textAlign: "center", py: 6 }}>
      <Typography variant="h6" component="p">{translate(isFiltered ? "studio.list.nothing" : "studio.list.empty")}</Typography>
      <Typography color="text.secondary" gutterBottom>{translate(isFiltered ? "studio.list.nothing_text" : "studio.list.empty_text", { models })}</Typography>
      {isFiltered ? <Button onClick={() => change({ q: "", byMeaning: false, conditions: [] })}>{translate("studio.list.clear")}</Button>
        : model.operations.create && <Button variant="contained" component={Link} to={createPath(model, of)}>{translate("studio.list.new")}</Button>}
    </Box>
  );
}

/** Where a new record is made, of another one where the list is. */
export function createPath(model: Model, of?: Of): string {
  const path = nameOf(model) === "auth/api-key" ? "/keys/create" : `/${nameOf(model)}/create`;
  return of ? `${path}?source=${encodeURIComponent(JSON.stringify({ [of.field]: of.id }))}` : path;
}
