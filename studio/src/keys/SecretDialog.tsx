/** A new secret, shown once. It is in the state of the page alone, and gone with it. */
import { Alert, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControlLabel, TextField, Typography } from "@mui/material";
import { useEffect, useId, useState } from "react";
import { useTranslate } from "react-admin";

import { CopyButton } from "./CopyButton";

/** What the dialog says, by where that is. */
export type SecretWords = Readonly<Record<"title" | "text" | "keep" | "confirm" | "lost" | "done", string>>;

interface Props {
  words: SecretWords;
  /** What the secret is called. */
  label: string;
  /** Nothing where it was lost on its way. */
  secret: string | null;
  onDone: () => void;
}

export function SecretDialog({ words, label, secret, onDone }: Props) {
  const translate = useTranslate();
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const [isStored, setStored] = useState(false);
  const mayLeave = secret === null || isCopied || isStored;
  useLeaveWarning(!mayLeave);
  // Nothing but the button closes it: a slip of the hand would cost the secret.
  return (
    <Dialog open fullWidth maxWidth="sm" aria-labelledby={id} aria-describedby={`${id}-text`}>
      <DialogTitle id={id}>{translate(words.title)}</DialogTitle>
      <DialogContent>
        {secret === null ? <Alert severity="warning" id={`${id}-text`}>{translate(words.lost)}</Alert> : (
          <>
            <Typography id={`${id}-text`} gutterBottom>{translate(words.text)}</Typography>
            <Secret label={label} secret={secret} onCopied={() => setCopied(true)} />
            <Typography variant="body2" color="text.secondary" sx={{ my: 1 }}>{translate(words.keep)}</Typography>
            <FormControlLabel control={<Checkbox checked={isStored} onChange={(_, checked) => setStored(checked)} />} label={translate(words.confirm)} />
          </>
        )}
      </DialogContent>
      <DialogActions><Button variant="contained" disabled={!mayLeave} onClick={onDone}>{translate(words.done)}</Button></DialogActions>
    </Dialog>
  );
}

function Secret({ label, secret, onCopied }: { label: string; secret: string; onCopied: () => void }) {
  return (
    <>
      <TextField
        label={label} value={secret} fullWidth margin="dense" autoComplete="off" autoFocus onFocus={(event) => event.target.select()}
        slotProps={{ htmlInput: { readOnly: true, spellCheck: false }, input: { sx: { fontFamily: "monospace" } } }}
      />
      <CopyButton text={secret} what={label} onCopied={onCopied} />
    </>
  );
}

function useLeaveWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isOn]);
}
