/** Every place and every "new" by a few letters, behind Ctrl K. */
import { Autocomplete, Dialog, TextField } from "@mui/material";
import { useEffect, useMemo, useState } from "react";
import { useTranslate } from "react-admin";
import { useLocation, useNavigate } from "react-router-dom";

import { nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { pages } from "../extensions";
import { recent } from "./recent";

interface Command {
  label: string;
  /** Where it leads; without one, to the searches. */
  path?: string;
  group: string;
}

interface Props {
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
}

export function CommandPalette({ isOpen, onOpen, onClose }: Props) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onOpen();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [onOpen]);
  return isOpen ? <Palette onClose={onClose} /> : null;
}

function Palette({ onClose }: { onClose: () => void }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const catalogue = useCatalogue();
  const [words, setWords] = useState("");
  // What is looked for, once somebody chooses where.
  const [sought, setSought] = useState<string>();
  const commands = useMemo<Command[]>(() => {
    const models = [...catalogue.models.values()];
    const name = (resource: string, count: number) => translate(`resources.${resource}.name`, { smart_count: count });
    const places = [["home", "/"], ["keys", "/keys"], ["organization", "/organization"]] as const;
    return [
      ...places.map(([key, path]) => ({ label: translate(`studio.menu.${key}`), path, group: translate("studio.menu.label") })),
      ...pages.map(({ title, path }) => ({ label: title, path: `/${path}`, group: translate("studio.menu.label") })),
      ...catalogue.listed.map((model) => ({ label: translate("studio.palette.list", { models: name(nameOf(model), 2) }), path: `/${nameOf(model)}`, group: translate(`domain.${model.domain}`) })),
      ...models.filter(({ operations }) => operations.create).map((model) => ({ label: translate("studio.palette.create", { model: name(nameOf(model), 1) }), path: `/${nameOf(model)}/create`, group: translate(`domain.${model.domain}`) })),
      ...recent().filter(({ resource }) => catalogue.get(resource)?.operations.read).map(({ resource, id, label }) => ({ label, path: `/${resource}/${id}/show`, group: name(resource, 2) })),
    ];
  }, [catalogue, translate]);
  const searches = useMemo<Command[]>(() => {
    const group = translate("studio.list.search");
    const searchable = catalogue.listed.filter((model) => model.searchable);
    const search = (model: Model, given: string) => {
      const models = translate(`resources.${nameOf(model)}.name`, { smart_count: 2 });
      return { label: translate("studio.palette.search", { models, words: given }), path: `/${nameOf(model)}?q=${encodeURIComponent(given)}`, group };
    };
    if (sought !== undefined) return searchable.map((model) => search(model, sought));
    const given = words.trim();
    if (given.length < 2) return [];
    const here = searchable.find((model) => pathname.startsWith(`/${nameOf(model)}`));
    return [...(here ? [search(here, given)] : []), { label: translate("studio.palette.elsewhere", { words: given }), group }];
  }, [catalogue, pathname, sought, translate, words]);
  const choose = (command: Command) => {
    if (command.path === undefined) return setSought(words.trim());
    onClose();
    return void navigate(command.path);
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-label={translate("studio.palette.label")} sx={{ "& .MuiDialog-container": { alignItems: "flex-start" } }}>
      <Autocomplete
        key={sought} open options={sought === undefined ? [...commands, ...searches] : searches} getOptionLabel={({ label }) => label} getOptionKey={({ path = "", label }) => path + label} groupBy={({ group }) => group}
        autoHighlight disablePortal noOptionsText={translate("studio.palette.none")} onInputChange={(_, text) => setWords(text)} onChange={(_, chosen) => chosen && choose(chosen)}
        renderInput={(given) => <TextField {...given} autoFocus placeholder={translate("studio.palette.placeholder")} label={translate("studio.palette.label")} sx={{ p: 1, mt: 1 }} />}
        slotProps={{ popper: { sx: { position: "static !important", transform: "none !important", width: "100% !important" } }, paper: { elevation: 0 } }}
      />
    </Dialog>
  );
}
