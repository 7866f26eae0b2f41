/** How a list looks: columns and their order, density, paging. */
import ArrowDownwardIcon from "@mui/icons-material/ArrowDownwardOutlined";
import ArrowUpwardIcon from "@mui/icons-material/ArrowUpwardOutlined";
import FunctionsIcon from "@mui/icons-material/FunctionsOutlined";
import { Box, Button, Checkbox, FormControlLabel, IconButton, MenuItem, Popover, Stack, TextField, Typography } from "@mui/material";
import { useTranslate } from "react-admin";

import { columnsOf, nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { groupable } from "./grouping";
import { summed } from "./summing";
import { type Change, DENSITIES, type Density, type ListState, type Mode, PAGE_SIZES, usualLook } from "./state";

interface Props {
  model: Model;
  state: ListState;
  change: Change;
  anchor: HTMLElement | null;
  onClose: () => void;
}

export default function LookMenu({ model, state, change, anchor, onClose }: Props) {
  const translate = useTranslate();
  return (
    <Popover open anchorEl={anchor} onClose={onClose} anchorOrigin={{ vertical: "bottom", horizontal: "right" }} transformOrigin={{ vertical: "top", horizontal: "right" }} slotProps={{ paper: { role: "dialog", "aria-label": translate("studio.list.settings") } }}>
      <Stack spacing={2} sx={{ p: 2, width: 340, maxWidth: "95vw" }}>
        <Stack direction="row" spacing={1}>
          <TextField select size="small" fullWidth label={translate("studio.list.density")} value={state.density} onChange={(event) => change({ density: event.target.value as Density })}>
            {Object.keys(DENSITIES).map((each) => <MenuItem key={each} value={each}>{translate(`studio.list.${each}`)}</MenuItem>)}
          </TextField>
          <TextField select size="small" fullWidth label={translate("studio.list.mode")} value={state.mode} onChange={(event) => change({ mode: event.target.value as Mode })}>
            {(["scroll", "pages"] as const).map((each) => <MenuItem key={each} value={each}>{translate(`studio.list.${each}`)}</MenuItem>)}
          </TextField>
        </Stack>
        {state.mode === "pages" && (
          <TextField select size="small" label={translate("studio.list.per_page")} value={state.perPage} onChange={(event) => change({ perPage: Number(event.target.value) })}>
            {PAGE_SIZES.map((each) => <MenuItem key={each} value={each}>{each}</MenuItem>)}
          </TextField>
        )}
        <TextField select size="small" label={translate("studio.list.group")} value={state.group} onChange={(event) => change({ group: event.target.value })} slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}>
          <MenuItem value="">{translate("studio.list.group_none")}</MenuItem>
          {groupable(model).map(({ name }) => <MenuItem key={name} value={name}>{translate(`resources.${nameOf(model)}.fields.${name}`)}</MenuItem>)}
        </TextField>
        <Columns model={model} state={state} change={change} />
      </Stack>
    </Popover>
  );
}

function Columns({ model, state, change }: Pick<Props, "model" | "state" | "change">) {
  const translate = useTranslate();
  const label = (name: string) => translate(`resources.${nameOf(model)}.fields.${name}`);
  const hidden = columnsOf(model).map(({ name }) => name).filter((name) => !state.columns.includes(name)).sort((one, other) => label(one).localeCompare(label(other)));
  const isSummed = (name: string) => summed(model, [name]).length > 0;
  const move = (place: number, by: number) => {
    const next = [...state.columns];
    [next[place], next[place + by]] = [next[place + by]!, next[place]!];
    change({ columns: next });
  };
  const show = (name: string, isShown: boolean) => change({ columns: isShown ? [...state.columns, name] : state.columns.filter((each) => each !== name) });
  return (
    <Box component="fieldset" sx={{ border: 0, p: 0, m: 0 }}>
      <Stack direction="row" sx={{ alignItems: "center", justifyContent: "space-between" }}>
        <Typography component="legend" variant="subtitle2">{translate("studio.list.columns")}</Typography>
        <Button size="small" onClick={() => change({ columns: usualLook(model).columns, widths: {} })}>{translate("studio.list.columns_reset")}</Button>
      </Stack>
      <Box sx={{ maxHeight: 320, overflowY: "auto" }}>
        {[...state.columns, ...hidden].map((name, place) => (
          <Stack key={name} direction="row" sx={{ alignItems: "center" }}>
            <FormControlLabel
              sx={{ flex: 1, m: 0 }} label={label(name)}
              control={<Checkbox size="small" checked={place < state.columns.length} disabled={state.columns.length === 1 && place === 0} onChange={(_, isShown) => show(name, isShown)} />}
            />
            {place < state.columns.length && (
              <>
                {isSummed(name) && (
                  <IconButton
                    size="small" color={state.totals.includes(name) ? "primary" : "default"} aria-pressed={state.totals.includes(name)} aria-label={translate("studio.list.total", { field: label(name) })}
                    onClick={() => change({ totals: state.totals.includes(name) ? state.totals.filter((each) => each !== name) : [...state.totals, name] })}
                  ><FunctionsIcon fontSize="inherit" /></IconButton>
                )}
                <IconButton size="small" disabled={place === 0} onClick={() => move(place, -1)} aria-label={translate("studio.list.column_up", { field: label(name) })}><ArrowUpwardIcon fontSize="inherit" /></IconButton>
                <IconButton size="small" disabled={place === state.columns.length - 1} onClick={() => move(place, 1)} aria-label={translate("studio.list.column_down", { field: label(name) })}><ArrowDownwardIcon fontSize="inherit" /></IconButton>
              </>
            )}
          </Stack>
        ))}
      </Box>
    </Box>
  );
}
