/** Every place, record and "new" by a few letters, behind Ctrl K. */
import { Autocomplete, Box, Dialog, TextField } from "@mui/material";
import { useEffect, useState } from "react";
import { useTranslate } from "react-admin";
import { useNavigate } from "react-router-dom";

import { useCommands, useFound, useSearches } from "./commands";
import { type Command, ranked } from "./ranking";

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
  const [words, setWords] = useState("");
  // What is looked for, once somebody chooses where.
  const [sought, setSought] = useState<string>();
  const commands = useCommands();
  const found = useFound(words);
  const searches = useSearches(sought ?? words.trim(), sought !== undefined);
  const known = new Set(commands.map(({ path }) => path));
  const offered = sought === undefined ? [...commands, ...found.filter(({ path }) => !known.has(path)), ...searches] : searches;
  const choose = (command: Command) => {
    if (command.path === undefined) return setSought(words.trim());
    onClose();
    return void navigate(command.path);
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-label={translate("studio.palette.label")} sx={{ "& .MuiDialog-container": { alignItems: "flex-start" } }}>
      <Autocomplete
        key={sought} open options={offered} getOptionLabel={({ label }) => label} getOptionKey={({ path = "", label }) => path + label} groupBy={({ kind }) => translate(`studio.palette.kinds.${kind}`)}
        filterOptions={(options, { inputValue }) => ranked(options, inputValue)} isOptionEqualToValue={(one, other) => one.path === other.path}
        autoHighlight disablePortal noOptionsText={translate("studio.palette.none")} onInputChange={(_, text) => setWords(text)} onChange={(_, chosen) => chosen && choose(chosen)}
        renderOption={({ key, ...props }, { label, of }) => <li key={key} {...props}>{label}{of && <Box component="span" sx={{ marginInlineStart: 1, color: "text.secondary" }}>{of}</Box>}</li>}
        renderInput={(given) => <TextField {...given} autoFocus placeholder={translate("studio.palette.placeholder")} label={translate("studio.palette.label")} sx={{ p: 1, mt: 1 }} />}
        slotProps={{ popper: { sx: { position: "static !important", transform: "none !important", width: "100% !important" } }, paper: { elevation: 0 } }}
      />
    </Dialog>
  );
}
