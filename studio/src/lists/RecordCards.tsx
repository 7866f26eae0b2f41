/** Records as cards, where a table has no room. */
import { Box, Card, CardActionArea, Checkbox, Stack, Typography } from "@mui/material";
import type { Row } from "@rowgate/client/react-admin";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useCallback, useEffect, useMemo, useRef } from "react";
import { useTranslate } from "react-admin";
import { Link } from "react-router-dom";

import { fieldOf, labelOf, nameOf, shortId } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { Value } from "../values/Value";
import type { Rows } from "./rows";
import type { Selection } from "./selection";
import type { ListState } from "./state";

interface Props {
  model: Model;
  state: ListState;
  rows: Rows;
  selection: Selection;
  title: string;
  height?: number | undefined;
  /** The records that others have just changed. */
  touched: ReadonlySet<string>;
}

export function RecordCards({ model, state, rows, selection, title, height, touched }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const loaded = rows.rows;
  const virtual = useVirtualizer({
    count: loaded.length, getScrollElement: () => scroller.current, estimateSize: () => 150, overscan: 6, getItemKey: useCallback((place: number) => loaded[place]!.id, [loaded]),
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasMore, more } = rows;
  useEffect(() => {
    if (hasMore && last >= loaded.length - 10) more();
  });
  const fields = useMemo(
    () => state.columns.filter((name) => !model.label?.includes(name)).slice(0, 5).map((name) => fieldOf(model, name)!),
    [model, state.columns],
  );
  return (
    <Box ref={scroller} role="list" aria-label={title} tabIndex={0} sx={{ overflow: "auto", contain: "strict", ...(height ? { height } : { flex: 1, minHeight: 320 }) }}>
      <Box sx={{ position: "relative", height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const record = loaded[item.index]!;
          return (
            <Box key={item.key} role="listitem" ref={virtual.measureElement} data-index={item.index} sx={{ position: "absolute", insetInline: 0, pb: 1 }} style={{ top: item.start }}>
              <RecordCard model={model} fields={fields} record={record} isSelected={selection.has(record.id)} isTouched={touched.has(record.id)} onSelect={selection.toggle} />
            </Box>
          );
        })}
      </Box>
    </Box>
  );
}

interface CardProps {
  model: Model;
  fields: readonly Field[];
  record: Row;
  isSelected: boolean;
  isTouched: boolean;
  onSelect: (id: string) => void;
}

const RecordCard = memo(function RecordCard({ model, fields, record, isSelected, isTouched, onSelect }: CardProps) {
  const translate = useTranslate();
  const resource = nameOf(model);
  const name = labelOf(model, record) ?? shortId(record.id);
  const title = <Typography variant="subtitle1" component="span" sx={{ overflowWrap: "anywhere" }}>{name}</Typography>;
  return (
    <Card variant="outlined" sx={{ display: "flex", alignItems: "flex-start", ...(isTouched && { borderColor: "primary.main" }) }}>
      <Checkbox checked={isSelected} onChange={() => onSelect(record.id)} slotProps={{ input: { "aria-label": translate("studio.list.select", { record: name }) } }} />
      <Box sx={{ flex: 1, minWidth: 0, py: 1, pr: 1 }}>
        {model.operations.read ? <CardActionArea component={Link} to={`/${resource}/${record.id}/show`}>{title}</CardActionArea> : title}
        <Box component="dl" sx={{ m: 0 }}>
          {fields.map((field) => (
            <Stack key={field.name} direction="row" spacing={1} sx={{ justifyContent: "space-between" }}>
              <Typography component="dt" variant="body2" color="text.secondary">{translate(`resources.${resource}.fields.${field.name}`)}</Typography>
              <Typography component="dd" variant="body2" sx={{ m: 0, minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}><Value model={model} field={field} record={record} brief /></Typography>
            </Stack>
          ))}
        </Box>
      </Box>
    </Card>
  );
});
