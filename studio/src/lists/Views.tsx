/** Saved views of a list: one's own, and those shared with the organization. */
import { RowgateError } from "@rowgate/client/react-admin";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import BookmarkBorderIcon from "@mui/icons-material/BookmarkBorderOutlined";
import DeleteIcon from "@mui/icons-material/DeleteOutlined";
import { Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControlLabel, IconButton, ListItem, ListItemButton, ListItemText, ListSubheader, Popover, List, TextField } from "@mui/material";
import { type FormEvent, useRef, useState } from "react";
import { useNotify, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import { usePerson } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { ask } from "../session/transport";
import { isCondition } from "./conditions";
import { type Change, type ListState, usualLook } from "./state";

interface View {
  id: string;
  name: string;
  shared: boolean;
  own: boolean;
  writable: boolean;
  definition: Partial<ListState>;
}

interface Props {
  model: Model;
  state: ListState;
  change: Change;
}

/** How many views the service answers at most. */
const PAGE = 100;

/** Every view of a model, by name; null where the caller has none, as those whom grants narrow. */
async function allViews(resource: string, signal: AbortSignal): Promise<View[] | null> {
  const found: View[] = [];
  for (;;) {
    const query = new URLSearchParams({ model: resource, take: String(PAGE), skip: String(found.length) });
    const answer = await ask<{ data: View[] }>("GET", `/api/v1/_views?${query}`, undefined, signal).catch(forbidden);
    if (answer === null) return null;
    const { data } = answer;
    found.push(...data);
    if (data.length < PAGE) return found;
  }
}

function forbidden(error: unknown): null {
  if (error instanceof RowgateError && error.status === 403) return null;
  throw error;
}

/** What a view keeps. */
const KEPT = ["q", "byMeaning", "conditions", "sort", "columns", "widths", "totals", "group", "density", "mode", "perPage"] as const;
/** What views that were saved earlier do not know of. */
const UNKNOWN_THEN: Partial<ListState> = { group: "" };
const definitionOf = (state: ListState) => Object.fromEntries(KEPT.map((name) => [name, state[name]]));

export function Views({ model, state, change }: Props) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const queries = useQueryClient();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const resource = nameOf(model);
  const key = ["views", resource];
  const { data: views = [] } = useQuery({ queryKey: key, queryFn: ({ signal }) => allViews(resource, signal) });
  const data = views ?? [];
  const current = data.find(({ id }) => id === state.view);
  const isChanged = current && KEPT.some((name) => JSON.stringify(current.definition[name] ?? UNKNOWN_THEN[name] ?? null) !== JSON.stringify(state[name]));
  const act = async (work: () => Promise<View | undefined>) => {
    try {
      const view = await work();
      await queries.invalidateQueries({ queryKey: key });
      if (view) change({ view: view.id });
      notify("studio.views.saved", { type: "success" });
    } catch (error) {
      notify(sentence(error), { type: "error" });
    }
  };
  const open = (view: View | undefined) => {
    setOpen(false);
    const given = view?.definition ?? { q: "", conditions: [], sort: [], ...usualLook(model) };
    // A view may be older than the model.
    const conditions = (given.conditions ?? []).filter((each) => isCondition(model, each));
    const columns = (given.columns ?? []).filter((name) => model.fields.some((field) => field.name === name));
    change({ byMeaning: false, ...UNKNOWN_THEN, ...given, conditions, columns: columns.length > 0 ? columns : usualLook(model).columns, view: view?.id ?? "", page: 1 });
  };
  const remove = (view: View) =>
    act(async () => {
      await ask("DELETE", `/api/v1/_views/${view.id}`);
      if (view.id === state.view) change({ view: "" });
      return undefined;
    });
  if (views === null) return null;
  const models = translate(`resources.${resource}.name`, { smart_count: 2 });
  const groups = [["own", data.filter(({ own }) => own)], ["shared", data.filter(({ own }) => !own)]] as const;
  return (
    <>
      {current?.writable && isChanged && <Button onClick={() => void act(() => ask("PUT", `/api/v1/_views/${current.id}`, { definition: definitionOf(state) }))}>{translate("studio.views.update")}</Button>}
      <Button ref={button} startIcon={<BookmarkBorderIcon />} aria-haspopup="dialog" onClick={() => setOpen(true)}>{current ? translate("studio.views.current", { name: current.name }) : translate("studio.views.label")}</Button>
      <Popover open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)} anchorOrigin={{ vertical: "bottom", horizontal: "right" }} transformOrigin={{ vertical: "top", horizontal: "right" }} slotProps={{ paper: { role: "dialog", "aria-label": translate("studio.views.label") } }}>
        <List dense sx={{ minWidth: 260 }}>
          <ListItemButton selected={!current} onClick={() => open(undefined)}>{translate("studio.views.all", { models })}</ListItemButton>
          {groups.map(([name, views]) => views.length > 0 && (
            <li key={name}>
              <List dense disablePadding subheader={<ListSubheader>{translate(`studio.views.${name}`)}</ListSubheader>}>
                {views.map((view) => (
                  <ListItem key={view.id} disablePadding secondaryAction={view.writable && <IconButton edge="end" size="small" aria-label={translate("studio.views.delete", { name: view.name })} onClick={() => void remove(view)}><DeleteIcon fontSize="small" /></IconButton>}>
                    <ListItemButton selected={view.id === state.view} onClick={() => open(view)}>
                      <ListItemText primary={view.name} secondary={view.own ? translate(view.shared ? "studio.views.shared" : "studio.views.private") : undefined} />
                    </ListItemButton>
                  </ListItem>
                ))}
              </List>
            </li>
          ))}
          <ListItemButton onClick={() => (setOpen(false), setSaving(true))}>{translate("studio.views.save")}</ListItemButton>
        </List>
      </Popover>
      {isSaving && <SaveDialog onClose={() => setSaving(false)} onSave={(given) => act(() => ask<View>("POST", "/api/v1/_views", { model: resource, definition: definitionOf(state), ...given }))} />}
    </>
  );
}

function SaveDialog({ onClose, onSave }: { onClose: () => void; onSave: (given: { name: string; shared: boolean }) => Promise<void> }) {
  const translate = useTranslate();
  const { activeOrganizationId } = usePerson();
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  const save = (event: FormEvent) => {
    event.preventDefault();
    void onSave({ name: name.trim(), shared: isShared }).then(onClose);
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="view-title">
      <form onSubmit={save}>
        <DialogTitle id="view-title">{translate("studio.views.save")}</DialogTitle>
        <DialogContent>
          <TextField autoFocus required fullWidth margin="dense" label={translate("studio.views.name")} value={name} onChange={(event) => setName(event.target.value)} slotProps={{ htmlInput: { maxLength: 120 } }} />
          {activeOrganizationId && <FormControlLabel control={<Checkbox checked={isShared} onChange={(_, checked) => setShared(checked)} />} label={translate("studio.views.share")} />}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate("studio.record.cancel")}</Button>
          <Button type="submit" variant="contained" disabled={!name.trim()}>{translate("studio.record.save")}</Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
