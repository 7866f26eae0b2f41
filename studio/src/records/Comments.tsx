/** The comments on a record: what people have written, and a place to write. */
import MoreHorizIcon from "@mui/icons-material/MoreHorizOutlined";
import { Alert, Box, Button, IconButton, Menu, MenuItem, MenuList, Paper, Popper, Skeleton, Stack, TextField, Typography } from "@mui/material";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { RowgateError } from "@rowgate/client/react-admin";
import { useNotify, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import type { Model } from "../catalogue/types";
import { usePeople } from "../inputs/PersonField";
import { Initials } from "../organizations/Initials";
import { Moment } from "../values/Value";
import { type Comment, mentionedIn, namedAt, useCommenting, useComments } from "./commenting";

/** Letters of a comment, and names that are offered at once. */
const [LONGEST, OFFERED] = [4000, 6];

/** The section of comments; none where they are not for whoever looks, as of a record that is public. */
export function Comments({ model, id }: { model: Model; id: string }) {
  const translate = useTranslate();
  const query = useComments(model, id);
  if (query.error instanceof RowgateError && [403, 404].includes(query.error.status)) return null;
  return (
    <Box component="section" aria-labelledby="comments">
      <Typography id="comments" component="h2" variant="subtitle1" sx={{ mb: 1 }}>{translate("studio.comments.title")}</Typography>
      <Written model={model} id={id} query={query} />
    </Box>
  );
}

function Written({ model, id, query }: { model: Model; id: string; query: ReturnType<typeof useComments> }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const { write } = useCommenting(model, id);
  const comments = query.entries ?? [];
  return (
    <Stack spacing={1.5}>
      <Writing label={translate("studio.comments.write")} button={translate("studio.comments.send")} onSend={write} />
      {query.error && <Alert severity="error">{sentence(query.error)}</Alert>}
      {query.isPending && <Skeleton variant="rounded" height={48} />}
      {query.entries?.length === 0 && <Typography variant="body2" color="text.secondary">{translate("studio.comments.none")}</Typography>}
      <Stack component="ol" spacing={1.5} sx={{ listStyle: "none", m: 0, p: 0 }}>{comments.map((comment) => <Entry key={comment.id} model={model} id={id} comment={comment} />)}</Stack>
      {query.hasNextPage && <Button size="small" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{translate("studio.changes.earlier")}</Button>}
    </Stack>
  );
}

function Entry({ model, id, comment }: { model: Model; id: string; comment: Comment }) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const { change, remove } = useCommenting(model, id);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const name = comment.author?.name ?? translate("studio.comments.gone");
  const hasMenu = comment.own || comment.removable;
  const removed = () => (setOpen(false), void remove(comment.id).catch((error: unknown) => notify(sentence(error), { type: "error" })));
  return (
    <Box component="li" sx={{ display: "flex", gap: 1, minWidth: 0 }}>
      <Initials name={name} />
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: "baseline" }}>
          <Typography variant="subtitle2" noWrap>{name}</Typography>
          <Typography variant="caption" color="text.secondary" noWrap sx={{ flex: 1 }}><Moment value={comment.createdAt} brief />{comment.editedAt && ` · ${translate("studio.comments.edited")}`}</Typography>
          {hasMenu && <IconButton ref={button} size="small" sx={{ p: 0.25 }} aria-haspopup="menu" aria-label={translate("studio.comments.more", { name })} onClick={() => setOpen(true)}><MoreHorizIcon fontSize="small" /></IconButton>}
        </Stack>
        {isEdited
          ? <Writing label={translate("studio.comments.edit")} button={translate("studio.record.save")} begun={comment.text} onSend={async (text) => (await change(comment.id, text), setEdited(false))} onCancel={() => setEdited(false)} />
          : <Typography variant="body2" sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{comment.text}</Typography>}
      </Box>
      <Menu open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)} slotProps={{ list: { dense: true } }}>
        {comment.own && <MenuItem onClick={() => (setOpen(false), setEdited(true))}>{translate("studio.comments.edit")}</MenuItem>}
        {comment.removable && <MenuItem onClick={removed}>{translate("studio.comments.remove")}</MenuItem>}
      </Menu>
    </Box>
  );
}

interface WritingProps {
  label: string;
  button: string;
  begun?: string;
  onSend: (text: string, mentions: readonly string[]) => Promise<unknown>;
  onCancel?: () => void;
}

/** A text in which an @ names a colleague. */
function Writing({ label, button, begun = "", onSend, onCancel }: WritingProps) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const everybody = usePeople();
  // A comment that is changed tells nobody anew.
  const people = onCancel ? [] : everybody;
  const chosen = useRef<string[]>([]);
  const list = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(begun);
  const [isBusy, setBusy] = useState(false);
  const [cursor, setCursor] = useState(0);
  const [place, setPlace] = useState(0);
  const named = namedAt(text, cursor);
  const offered = named ? people.filter(({ name }) => name.toLowerCase().startsWith(named.words.toLowerCase()) && name !== named.words).slice(0, OFFERED) : [];
  const send = async () => {
    setBusy(true);
    try {
      await onSend(text.trim(), mentionedIn(text, people, chosen.current));
      setText("");
      chosen.current = [];
    } catch (error) {
      notify(sentence(error), { type: "error" });
    } finally {
      setBusy(false);
    }
  };
  const choose = ({ id, name }: { id: string; name: string }) => {
    const at = named!.start + name.length + 2;
    chosen.current = [id, ...chosen.current];
    setText(`${text.slice(0, named!.start)}@${name} ${text.slice(cursor)}`);
    setCursor(at);
    input.current?.focus();
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim()) return void send();
    if (offered.length === 0) return undefined;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setPlace((place + step + offered.length) % offered.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(offered[place] ?? offered[0]!);
    else if (event.key === "Escape") setCursor(0);
    else return undefined;
    return event.preventDefault();
  };
  const written = (value: string, at: number | null) => (setText(value), setCursor(at ?? value.length), setPlace(0));
  return (
    <Box>
      <TextField
        multiline fullWidth minRows={begun ? 2 : 1} maxRows={12} label={label} value={text} inputRef={input} onChange={(event) => written(event.target.value, event.target.selectionStart)} onKeyDown={press}
        onBlur={() => setTimeout(() => setCursor(0), 150)} slotProps={{ htmlInput: { maxLength: LONGEST, ...(offered.length > 0 ? { role: "combobox", "aria-autocomplete": "list", "aria-expanded": true, "aria-controls": list, "aria-activedescendant": `${list}-${place}` } : {}) } }}
      />
      <Popper open={offered.length > 0} anchorEl={input.current} placement="bottom-start" sx={{ zIndex: "tooltip" }}>
        <Paper variant="outlined">
          <MenuList dense role="listbox" id={list} aria-label={translate("studio.comments.hint")}>
            {offered.map((person, index) => <MenuItem key={person.id} id={`${list}-${index}`} role="option" aria-selected={index === place} selected={index === place} onMouseDown={(event) => (event.preventDefault(), choose(person))}>{person.name}</MenuItem>)}
          </MenuList>
        </Paper>
      </Popper>
      {(text.trim() !== "" || onCancel) && (
        <Stack direction="row" spacing={1} sx={{ mt: 1, alignItems: "center" }}>
          <Button size="small" variant="contained" disabled={isBusy || text.trim() === ""} onClick={() => void send()}>{button}</Button>
          {onCancel && <Button size="small" onClick={onCancel}>{translate("studio.record.cancel")}</Button>}
          {!onCancel && <Typography variant="caption" color="text.secondary">{translate("studio.comments.hint")}</Typography>}
        </Stack>
      )}
    </Box>
  );
}
