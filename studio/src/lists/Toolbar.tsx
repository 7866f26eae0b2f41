/** Above a list: search, filters, the look of it, and what can be done. */
import AddIcon from "@mui/icons-material/AddOutlined";
import DownloadIcon from "@mui/icons-material/DownloadOutlined";
import RestoreFromTrashIcon from "@mui/icons-material/RestoreFromTrashOutlined";
import SearchIcon from "@mui/icons-material/SearchOutlined";
import TuneIcon from "@mui/icons-material/TuneOutlined";
import UploadIcon from "@mui/icons-material/UploadOutlined";
import { Button, Chip, IconButton, InputAdornment, Stack, TextField, Tooltip } from "@mui/material";
import { Suspense, lazy, useEffect, useRef, useState } from "react";
import { useTranslate } from "react-admin";
import { Link } from "react-router-dom";

import { nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useFocusShortcut } from "../layout/shortcuts";
import { ScopeChip } from "../organizations/ScopeChip";
import { Filters } from "./Filters";
import { createPath } from "./RecordList";
import type { Of, Rows } from "./rows";
import type { Selection } from "./selection";
import type { Change, ListState } from "./state";

const ExportDialog = lazy(() => import("./ExportDialog"));
const ImportDialog = lazy(() => import("../importing/ImportDialog"));
const LookMenu = lazy(() => import("./LookMenu"));

interface Props {
  model: Model;
  state: ListState;
  change: Change;
  rows: Rows;
  selection: Selection;
  of?: Of | undefined;
}

type Open = "look" | "export" | "import" | undefined;

export function Toolbar({ model, state, change, rows, of, selection }: Props) {
  const translate = useTranslate();
  const [open, setOpen] = useState<Open>();
  const look = useRef<HTMLButtonElement>(null);
  const { changesDays } = useCatalogue();
  const isKeys = nameOf(model) === "auth/api-key";
  const act = (name: Exclude<Open, undefined>, icon: React.ReactNode, ref?: React.Ref<HTMLButtonElement>) => {
    const label = translate(name === "look" ? "studio.list.settings" : `studio.list.${name}`);
    return (
      <Tooltip title={label}>
        <IconButton {...(ref ? { ref } : {})} aria-label={label} aria-haspopup="dialog" onClick={() => setOpen(name)}>{icon}</IconButton>
      </Tooltip>
    );
  };
  return (
    <Stack direction="row" useFlexGap sx={{ flexWrap: "wrap", alignItems: "center", gap: 1, mb: 0.25 }}>
      {model.searchable && <Search model={model} words={state.q} onChange={(q) => change({ q })} isPage={!of} />}
      {model.semantic && (
        <Tooltip describeChild title={translate("studio.list.by_meaning_text")}>
          <Chip
            label={translate("studio.list.by_meaning")} variant={state.byMeaning ? "filled" : "outlined"} color={state.byMeaning ? "primary" : "default"} aria-pressed={state.byMeaning}
            onClick={() => change(state.byMeaning ? { byMeaning: false } : { byMeaning: true, sort: [] })}
          />
        </Tooltip>
      )}
      {!of && <ScopeChip model={model} conditions={state.conditions} isEverywhere={state.isEverywhere} onChange={(isEverywhere) => change({ isEverywhere })} />}
      <Filters model={model} conditions={state.conditions} onChange={(conditions) => change({ conditions })} />
      <Stack direction="row" sx={{ marginInlineStart: "auto", alignItems: "center" }}>
        {act("look", <TuneIcon />, look)}
        {model.operations.export && !isKeys && act("export", <DownloadIcon />)}
        {model.operations.import && !isKeys && act("import", <UploadIcon />)}
        {!of && model.restorable && changesDays > 0 && (
          <Tooltip title={translate("studio.changes.bin")}><IconButton component={Link} to={`/bin/${nameOf(model)}`} aria-label={translate("studio.changes.bin")}><RestoreFromTrashIcon /></IconButton></Tooltip>
        )}
        {model.operations.create && <Button variant="contained" startIcon={<AddIcon />} component={Link} to={createPath(model, of)}>{translate("studio.list.new")}</Button>}
      </Stack>
      <Suspense fallback={null}>
        {open === "look" && <LookMenu model={model} state={state} change={change} anchor={look.current} onClose={() => setOpen(undefined)} />}
        {open === "export" && <ExportDialog model={model} state={state} of={of} total={rows.total} selected={[...selection.ids]} onClose={() => setOpen(undefined)} />}
        {open === "import" && <ImportDialog model={model} onClose={() => setOpen(undefined)} onDone={rows.again} />}
      </Suspense>
    </Stack>
  );
}

/** Milliseconds after the last key. */
const PAUSE = 250;

function Search({ model, words, onChange, isPage }: { model: Model; words: string; onChange: (words: string) => void; isPage: boolean }) {
  const translate = useTranslate();
  const [text, setText] = useState(words);
  const input = useRef<HTMLInputElement>(null);
  const resource = nameOf(model);
  useFocusShortcut("/", isPage ? input : undefined);
  useEffect(() => setText(words), [words]);
  useEffect(() => {
    if (text === words) return undefined;
    const timer = setTimeout(() => onChange(text), PAUSE);
    return () => clearTimeout(timer);
  });
  const fields = (model.searchable ?? []).map((name) => translate(`resources.${resource}.fields.${name}`)).join(", ");
  return (
    <Tooltip title={translate("studio.list.search_fields", { fields })}>
      <TextField
        size="small" type="search" value={text} onChange={(event) => setText(event.target.value)} inputRef={input} placeholder={translate("studio.list.search")} sx={{ width: 240, maxWidth: "100%" }}
        slotProps={{ htmlInput: { "aria-label": translate("studio.list.search_in", { models: translate(`resources.${resource}.name`, { smart_count: 2 }) }) }, input: { startAdornment: <InputAdornment position="start"><SearchIcon fontSize="small" /></InputAdornment> } }}
      />
    </Tooltip>
  );
}
