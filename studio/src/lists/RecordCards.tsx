/** Records as cards, where a table has no room. */
import { Box, Card, CardActionArea, Checkbox, Stack, Typography } from "@mui/material";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useTranslate } from "react-admin";
import { Link } from "react-router-dom";

import { fieldOf, labelOf, nameOf, shortId } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
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
}

export function RecordCards({ model, state, rows, selection, title, height }: Props) {
  const translate = useTranslate();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: rows.rows.length, getScrollElement: () => scroller.current, estimateSize: () => 150, overscan: 6, getItemKey: (place) => rows.rows[place]!.id });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasMore, more } = rows;
  useEffect(() => {
    if (hasMore && last >= rows.rows.length - 10) more();
  });
  const resource = nameOf(model);
  const fields = state.columns.filter((name) => !model.label?.includes(name)).slice(0, 5).map((name) => fieldOf(model, name)!);
  return (
    <Box ref={scroller} role="list" aria-label={title} tabIndex={0} sx={{ overflow: "auto", contain: "strict", ...(height ? { height } : { flex: 1, minHeight: 320 }) }}>
      <Box sx={{ position: "relative", height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const record = rows.rows[item.index]!;
          const name = labelOf(model, record) ?? shortId(record.id);
          return (
            <Box key={item.key} role="listitem" ref={virtual.measureElement} data-index={item.index} sx={{ position: "absolute", insetInline: 0, pb: 1 }} style={{ top: item.start }}>
              <Card variant="outlined" sx={{ display: "flex", alignItems: "flex-start" }}>
                <Checkbox checked={selection.has(record.id)} onChange={() => selection.toggle(record.id)} slotProps={{ input: { "aria-label": translate("studio.list.select", { record: name }) } }} />
                <Box sx={{ flex: 1, minWidth: 0, py: 1, pr: 1 }}>
                  <CardActionArea component={Link} to={`/${resource}/${record.id}/show`}>
                    <Typography variant="subtitle1" component="span" sx={{ overflowWrap: "anywhere" }}>{name}</Typography>
                  </CardActionArea>
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
            </Box>
          );
        })}
      </Box>
    </Box>
  );
}
