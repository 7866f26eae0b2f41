/** A table of records whose rows are in the page only while they are in sight. */
import ArrowDownwardIcon from "@mui/icons-material/ArrowDownward";
import ArrowUpwardIcon from "@mui/icons-material/ArrowUpward";
import { Box, ButtonBase, Checkbox, Link } from "@mui/material";
import type { Row } from "@rowgate/client/react-admin";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, memo, useEffect, useRef } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { fieldOf, labelOf, nameOf, shortId } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { Value } from "../values/Value";
import { CellEditor } from "./CellEditor";
import { ColumnWidth } from "./ColumnWidth";
import type { Rows } from "./rows";
import type { Selection } from "./selection";
import { type Change, DENSITIES, type ListState } from "./state";

const HEAD = 43;
/** Rows beyond what is in sight. */
const AHEAD = 12;
const NUMERIC = ["integer", "number"];

interface Props {
  model: Model;
  state: ListState;
  change: Change;
  rows: Rows;
  selection: Selection;
  title: string;
  height?: number | undefined;
}

export function widthOf(field: Field, widths: ListState["widths"]): number {
  const usual = field.type === "timestamp" ? 215 : NUMERIC.includes(field.type) || field.type === "boolean" ? 150 : field.type.startsWith("enum") ? 150 : 220;
  return widths[field.name] ?? usual;
}

export function RecordTable({ model, state, change, rows, selection, title, height }: Props) {
  const translate = useTranslate();
  const scroller = useRef<HTMLDivElement>(null);
  const size = DENSITIES[state.density];
  const fields = state.columns.map((name) => fieldOf(model, name)!).filter(Boolean);
  const template = `48px ${fields.map((field) => `${widthOf(field, state.widths)}px`).join(" ")}`;
  const virtual = useVirtualizer({
    count: rows.rows.length, getScrollElement: () => scroller.current, estimateSize: () => size, overscan: AHEAD, getItemKey: (place) => rows.rows[place]!.id,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasMore, more } = rows;
  useEffect(() => virtual.measure(), [size, virtual]);
  useEffect(() => {
    if (hasMore && last >= rows.rows.length - 30) more();
  });
  const isAll = rows.rows.length > 0 && rows.rows.every(({ id }) => selection.has(id));
  return (
    <Box
      ref={scroller} role="table" aria-label={title} aria-rowcount={rows.total === undefined ? -1 : rows.total + 1} aria-colcount={fields.length + 1} tabIndex={0}
      sx={{ overflow: "auto", position: "relative", border: 1, borderColor: "divider", borderRadius: 1, bgcolor: "background.paper", contain: "strict", ...(height ? { height } : { flex: 1, minHeight: 240 }) }}
    >
      <Box role="rowgroup" sx={{ position: "sticky", top: 0, zIndex: 2, width: "max-content", minWidth: "100%" }}>
        <Box role="row" aria-rowindex={1} sx={{ display: "grid", gridTemplateColumns: template, height: HEAD, bgcolor: "background.paper", borderBottom: 1, borderColor: "divider" }}>
          <Box role="columnheader" sx={{ display: "grid", placeItems: "center" }}>
            <Checkbox size="small" checked={isAll} indeterminate={!isAll && selection.ids.size > 0} onChange={() => (isAll ? selection.clear() : selection.add(rows.rows.map(({ id }) => id)))} slotProps={{ input: { "aria-label": translate("studio.list.select_all") } }} />
          </Box>
          {fields.map((field) => <Header key={field.name} model={model} field={field} state={state} change={change} />)}
        </Box>
      </Box>
      <Box role="rowgroup" sx={{ height: virtual.getTotalSize(), position: "relative", minWidth: "max-content" }}>
        {items.map((item) => {
          const record = rows.rows[item.index]!;
          return (
            <Line
              key={item.key} model={model} fields={fields} record={record} place={item.index} start={item.start} size={size} template={template}
              isSelected={selection.has(record.id)} onSelect={selection.toggle}
            />
          );
        })}
      </Box>
    </Box>
  );
}

function Header({ model, field, state, change }: { model: Model; field: Field; state: ListState; change: Change }) {
  const translate = useTranslate();
  const label = translate(`resources.${nameOf(model)}.fields.${field.name}`);
  const place = state.sort.findIndex((key) => key.replace(/^-/, "") === field.name);
  const order = place < 0 ? undefined : state.sort[place]!.startsWith("-") ? "descending" : "ascending";
  const sort = (isAdding: boolean) => {
    const next = order === undefined ? [field.name] : order === "ascending" ? [`-${field.name}`] : [];
    const others = isAdding ? state.sort.filter((_, index) => index !== place) : [];
    change({ sort: [...others, ...next] });
  };
  return (
    <Box role="columnheader" aria-sort={order ?? "none"} sx={{ display: "flex", alignItems: "stretch", position: "relative", minWidth: 0 }}>
      {field.sortable ? (
        <ButtonBase
          onClick={(event) => sort(event.shiftKey)} aria-label={translate("studio.list.sort", { field: label })} focusRipple
          sx={{ flex: 1, minWidth: 0, justifyContent: NUMERIC.includes(field.type) ? "flex-end" : "flex-start", px: 1, gap: 0.5, typography: "subtitle2" }}
        >
          <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>{label}</Box>
          {order && (order === "ascending" ? <ArrowUpwardIcon fontSize="inherit" /> : <ArrowDownwardIcon fontSize="inherit" />)}
        </ButtonBase>
      ) : (
        <Box component="span" sx={{ alignSelf: "center", flex: 1, px: 1, typography: "subtitle2", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap", textAlign: NUMERIC.includes(field.type) ? "end" : "start" }}>{label}</Box>
      )}
      <ColumnWidth label={label} width={widthOf(field, state.widths)} onChange={(width) => change({ widths: { ...state.widths, [field.name]: width } })} />
    </Box>
  );
}

interface LineProps {
  model: Model;
  fields: readonly Field[];
  record: Row;
  place: number;
  start: number;
  size: number;
  template: string;
  isSelected: boolean;
  onSelect: (id: string) => void;
}

const Line = memo(function Line({ model, fields, record, place, start, size, template, isSelected, onSelect }: LineProps) {
  const translate = useTranslate();
  const name = labelOf(model, record) ?? shortId(record.id);
  return (
    <Box
      role="row" aria-rowindex={place + 2} aria-selected={isSelected}
      sx={{
        display: "grid", gridTemplateColumns: template, position: "absolute", insetInlineStart: 0, minWidth: "100%", height: size, borderBottom: 1, borderColor: "divider",
        "&:hover": { bgcolor: "action.hover" }, "&[aria-selected=true]": { bgcolor: "action.selected" },
      }}
      style={{ top: start }}
    >
      <Box role="cell" sx={{ display: "grid", placeItems: "center" }}>
        <Checkbox size="small" checked={isSelected} onChange={() => onSelect(record.id)} slotProps={{ input: { "aria-label": translate("studio.list.select", { record: name }) } }} />
      </Box>
      {fields.map((field, index) => (
        <Cell key={field.name} model={model} field={field} record={record} name={name}>
          {index === 0 ? (
            <Link component={RouterLink} to={`/${nameOf(model)}/${record.id}/show`} sx={{ fontWeight: 500, overflow: "hidden", textOverflow: "ellipsis" }}>
              {model.label?.includes(field.name) ? name : <Value model={model} field={{ ...field, references: undefined! }} record={record} brief />}
            </Link>
          ) : <Value model={model} field={field} record={record} brief />}
        </Cell>
      ))}
    </Box>
  );
});

function Cell({ model, field, record, name, children }: { model: Model; field: Field; record: Row; name: string; children: ReactNode }) {
  const isEditable = model.operations.update && field.settable.includes("update");
  return (
    <Box role="cell" sx={{ display: "flex", alignItems: "center", minWidth: 0, px: 1, gap: 0.5, typography: "body2", justifyContent: NUMERIC.includes(field.type) ? "flex-end" : "flex-start", "& .edit": { opacity: 0 }, "&:hover .edit, & .edit:focus-visible": { opacity: 1 } }}>
      <Box sx={{ minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>{children}</Box>
      {isEditable && <CellEditor model={model} field={field} record={record} name={name} />}
    </Box>
  );
}
