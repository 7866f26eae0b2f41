/** A table of records whose rows are in the page only while they are in sight. */
import ArrowDownwardIcon from "@mui/icons-material/ArrowDownwardOutlined";
import ArrowUpwardIcon from "@mui/icons-material/ArrowUpwardOutlined";
import { Box, ButtonBase, Checkbox } from "@mui/material";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useTranslate } from "react-admin";

import { fieldOf, nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { ColumnWidth } from "./ColumnWidth";
import { orderedBy } from "./MoveButtons";
import { ROWS, RecordRow } from "./RecordRow";
import type { Rows } from "./rows";
import type { Selection } from "./selection";
import { useGrid } from "./useGrid";
import { type Change, DENSITIES, type ListState } from "./state";
import { NUMERIC, fittedWidths } from "./widths";

const HEAD = 26;
/** Rows beyond what is in sight. */
const AHEAD = 12;

interface Props {
  model: Model;
  state: ListState;
  change: Change;
  rows: Rows;
  selection: Selection;
  title: string;
  height?: number | undefined;
  /** The records that others have just changed. */
  touched: ReadonlySet<string>;
}

export function RecordTable({ model, state, change, rows, selection, title, height, touched }: Props) {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const scroller = useRef<HTMLDivElement>(null);
  const size = DENSITIES[state.density];
  // Rows are drawn again only where what they are given has changed: while somebody scrolls, the new ones alone.
  const fields = useMemo(() => state.columns.map((name) => fieldOf(model, name)!).filter(Boolean), [model, state.columns]);
  const loaded = rows.rows;
  const isThere = loaded.length > 0;
  // The first rows decide: while somebody scrolls, no column changes.
  const fitted = useMemo(
    () => fittedWidths(catalogue, model, fields, loaded, ({ name }) => translate(`resources.${nameOf(model)}.fields.${name}`)),
    [catalogue, model, fields, isThere],
  );
  const widths = { ...fitted, ...state.widths };
  const template = `40px ${fields.map(({ name }) => `${widths[name]}px`).join(" ")}`;
  const order = state.byMeaning ? undefined : orderedBy(model, state.sort);
  const virtual = useVirtualizer({
    count: loaded.length, getScrollElement: () => scroller.current, overscan: AHEAD,
    estimateSize: useCallback(() => size, [size]), getItemKey: useCallback((place: number) => loaded[place]!.id, [loaded]),
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasMore, more } = rows;
  const grid = useGrid(model, fields, loaded, { page: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / size) - 2), reveal: (row) => virtual.scrollToIndex(row) });
  useEffect(() => virtual.measure(), [size, virtual]);
  useEffect(() => {
    if (hasMore && last >= loaded.length - 30) more();
  });
  const isAll = loaded.length > 0 && loaded.every(({ id }) => selection.has(id));
  return (
    <Box
      ref={scroller} role="grid" aria-multiselectable aria-busy={grid.isBusy} aria-activedescendant={grid.headId} {...grid.on} aria-label={title} aria-rowcount={rows.total === undefined ? -1 : rows.total + 1} aria-colcount={fields.length + 1} tabIndex={0}
      sx={{ overflow: "auto", position: "relative", border: 1, borderColor: "divider", borderRadius: 1, bgcolor: "background.paper", contain: "strict", ...ROWS, ...(height ? { height } : { flex: 1, minHeight: 240 }) }}
    >
      <Box role="rowgroup" sx={{ position: "sticky", top: 0, zIndex: 2, width: "max-content", minWidth: "100%" }}>
        <Box role="row" aria-rowindex={1} sx={{ display: "grid", gridTemplateColumns: template, gridTemplateRows: `${HEAD - 1}px`, height: HEAD, bgcolor: "background.paper", borderBottom: 1, borderColor: "divider" }}>
          <Box role="columnheader" sx={{ display: "grid", placeItems: "center" }}>
            <Checkbox size="small" sx={{ p: 0.25 }} checked={isAll} indeterminate={!isAll && selection.ids.size > 0} onChange={() => (isAll ? selection.clear() : selection.add(loaded.map(({ id }) => id)))} slotProps={{ input: { "aria-label": translate("studio.list.select_all") } }} />
          </Box>
          {fields.map((field) => <Header key={field.name} model={model} field={field} width={widths[field.name]!} state={state} change={change} />)}
        </Box>
      </Box>
      <Box role="rowgroup" sx={{ height: virtual.getTotalSize(), position: "relative", minWidth: "max-content" }}>
        {items.map((item) => {
          const record = loaded[item.index]!;
          return (
            <RecordRow
              key={item.key} model={model} fields={fields} record={record} place={item.index} start={item.start} size={size} template={template}
              gridId={grid.id} {...(grid.chosen && item.index >= grid.chosen.top && item.index <= grid.chosen.bottom && { from: grid.chosen.left, to: grid.chosen.right })} head={grid.head?.row === item.index ? grid.head.column : undefined}
              isSelected={selection.has(record.id)} isTouched={touched.has(record.id)} onSelect={selection.toggle}
              {...(order && { orderedBy: order.field, isDescending: order.isDescending, above: loaded[item.index - 1]?.id, below: loaded[item.index + 1]?.id })}
            />
          );
        })}
      </Box>
    </Box>
  );
}

function Header({ model, field, width, state, change }: { model: Model; field: Field; width: number; state: ListState; change: Change }) {
  const translate = useTranslate();
  const label = translate(`resources.${nameOf(model)}.fields.${field.name}`);
  const place = state.sort.findIndex((key) => key.replace(/^-/, "") === field.name);
  const order = place < 0 ? undefined : state.sort[place]!.startsWith("-") ? "descending" : "ascending";
  const sort = (isAdding: boolean) => {
    const next = order === undefined ? [field.name] : order === "ascending" ? [`-${field.name}`] : [];
    const others = isAdding ? state.sort.filter((_, index) => index !== place) : [];
    change({ sort: [...others, ...next], byMeaning: false });
  };
  return (
    <Box role="columnheader" aria-sort={order ?? "none"} sx={{ display: "flex", alignItems: "stretch", position: "relative", minWidth: 0 }}>
      {field.sortable ? (
        <ButtonBase
          onClick={(event) => sort(event.shiftKey)} aria-label={translate("studio.list.sort", { field: label })} focusRipple
          sx={{ flex: 1, minWidth: 0, justifyContent: NUMERIC.includes(field.type) ? "flex-end" : "flex-start", px: 1, gap: 0.5, typography: "subtitle2", color: "text.secondary" }}
        >
          <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>{label}</Box>
          {order && (order === "ascending" ? <ArrowUpwardIcon fontSize="inherit" /> : <ArrowDownwardIcon fontSize="inherit" />)}
        </ButtonBase>
      ) : (
        <Box component="span" sx={{ alignSelf: "center", flex: 1, px: 1, typography: "subtitle2", color: "text.secondary", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap", textAlign: NUMERIC.includes(field.type) ? "end" : "start" }}>{label}</Box>
      )}
      <ColumnWidth label={label} width={width} onChange={(drawn) => change({ widths: { ...state.widths, [field.name]: drawn } })} />
    </Box>
  );
}
