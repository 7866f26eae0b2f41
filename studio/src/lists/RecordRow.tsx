/** One record in a table. There are many and they come while somebody scrolls, so they are plain elements that the table styles. */
import type { SxProps, Theme } from "@mui/material";
import type { Row } from "@rowgate/client/react-admin";
import { type ReactNode, memo } from "react";
import { useTranslate } from "react-admin";
import { Link } from "react-router-dom";

import { labelOf, nameOf, shortId } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { TOUCHED } from "../live/LastChange";
import { Value } from "../values/Value";
import { CellEditor } from "./CellEditor";
import { cellId } from "./grid";
import { type Between, MoveButtons } from "./MoveButtons";
import { NUMERIC } from "./widths";

/** How the rows of a table look. */
export const ROWS = {
  "& .record": { display: "grid", position: "absolute", insetInlineStart: 0, minWidth: "100%", borderBottom: 1, borderColor: "divider", typography: "body2" },
  "& .record:hover": { bgcolor: "action.hover" },
  "& .record[aria-selected=true]": { bgcolor: "action.selected" },
  "& .record.touched": TOUCHED,
  "& .choice": { display: "grid", placeItems: "center" },
  "& .choice input": { width: 16, height: 16, m: 0, accentColor: ({ palette }: Theme) => palette.primary.main },
  "& .cell": { display: "flex", alignItems: "center", position: "relative", minWidth: 0, px: 1, gap: 0.5, userSelect: "none", scrollMarginTop: "28px" },
  "& .MuiChip-root": { height: 20 },
  "& .cell[aria-selected=true]": { bgcolor: "action.selected" },
  "&:focus .cell.head": { outline: "2px solid", outlineColor: ({ palette }: Theme) => palette.primary.main, outlineOffset: -2 },
  "& .cell.number": { justifyContent: "flex-end", fontVariantNumeric: "tabular-nums" },
  "& .text": { minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" },
  // As high as what is pressed has to be (WCAG 2.2, 2.5.8).
  "& .text a": { display: "inline-block", verticalAlign: "top", maxWidth: "100%", lineHeight: "24px", overflow: "hidden", textOverflow: "ellipsis" },
  "& .name": { color: "primary.main", fontWeight: 500, textDecoration: "none" },
  "& .name:hover": { textDecoration: "underline" },
  "& .name:focus-visible, & .edit:focus-visible": { outline: "2px solid currentColor", outlineOffset: 2, borderRadius: "2px" },
  "& .edit": { display: "flex", position: "absolute", insetInlineEnd: 2, p: 0.5, border: 0, borderRadius: "4px", bgcolor: "background.paper", color: "text.secondary", cursor: "pointer", opacity: 0 },
  "& .edit:has(+ .edit)": { insetInlineEnd: 28 },
  "& .cell.number .edit": { insetInlineEnd: "auto", insetInlineStart: 2 },
  "& .edit:disabled": { visibility: "hidden" },
  "& .edit:hover": { color: "text.primary" },
  "& .edit svg": { width: 16, height: 16, fill: "currentColor" },
  "& .cell:hover .edit, & .edit:focus-visible": { opacity: 1 },
} satisfies SxProps<Theme>;

interface Props {
  model: Model;
  fields: readonly Field[];
  record: Row;
  place: number;
  start: number;
  size: number;
  template: string;
  isSelected: boolean;
  /** Whether somebody else has just changed it. */
  isTouched: boolean;
  /** The field of positions that the list is ordered by, and the records beside this one. */
  orderedBy?: string | undefined;
  isDescending?: boolean | undefined;
  above?: string | undefined;
  below?: string | undefined;
  onSelect: (id: string) => void;
  gridId: string;
  /** The columns of its cells that are chosen, and of the one where somebody is. */
  from?: number | undefined;
  to?: number | undefined;
  head?: number | undefined;
}

export const RecordRow = memo(function RecordRow({ model, fields, record, place, start, size, template, isSelected, isTouched, orderedBy, isDescending = false, above, below, onSelect, gridId, from = Infinity, to = -1, head }: Props) {
  const translate = useTranslate();
  const name = labelOf(model, record) ?? shortId(record.id);
  return (
    <div role="row" className={isTouched ? "record touched" : "record"} aria-rowindex={place + 2} aria-selected={isSelected} style={{ top: start, height: size, gridTemplateColumns: template }}>
      <div role="gridcell" className="choice">
        <input type="checkbox" checked={isSelected} onChange={() => onSelect(record.id)} aria-label={translate("studio.list.select", { record: name })} />
      </div>
      {fields.map((field, index) => (
        <Cell key={field.name} id={cellId(gridId, { row: place, column: index })} row={place} column={index} isChosen={index >= from && index <= to} isHead={index === head} model={model} field={field} record={record} name={name} between={field.name === orderedBy ? { isDescending, above, below } : undefined}>
          {index === 0 && model.operations.read ? (
            <Link className="name" to={`/${nameOf(model)}/${record.id}/show`}>
              {record[field.name] ? <Value model={model} field={{ ...field, references: undefined! }} record={record} brief /> : name}
            </Link>
          ) : <Value model={model} field={field} record={record} brief />}
        </Cell>
      ))}
    </div>
  );
});

interface CellProps {
  id: string;
  row: number;
  column: number;
  isChosen: boolean;
  isHead: boolean;
  model: Model;
  field: Field;
  record: Row;
  name: string;
  between: Between | undefined;
  children: ReactNode;
}

function Cell({ id, row, column, isChosen, isHead, model, field, record, name, between, children }: CellProps) {
  const isEditable = model.operations.update && field.settable.includes("update");
  return (
    <div role="gridcell" id={id} data-row={row} data-column={column} aria-readonly={!isEditable} aria-selected={isChosen} className={`cell${NUMERIC.includes(field.type) ? " number" : ""}${isHead ? " head" : ""}`}>
      <div className="text">{children}</div>
      {isEditable && between && <MoveButtons model={model} field={field} record={record} name={name} between={between} />}
      {isEditable && !between && <CellEditor model={model} field={field} record={record} name={name} />}
    </div>
  );
}
