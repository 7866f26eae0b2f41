/** The secret of a new key, shown once. It is in the state of the page alone, and gone with it. */
import { Alert, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControlLabel, TextField, Typography } from "@mui/material";
import { useEffect, useId, useState } from "react";
import { useTranslate } from "react-admin";

import { CopyButton } from "./CopyButton";
import { RESOURCE } from "./keys";

/** `secret` is nothing where it was lost on its way. */
export function SecretDialog({ secret, onDone }: { secret: string | null; onDone: () => void }) {
  const translate = useTranslate();
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const [isStored, setStored] = useState(false);
  const mayLeave = secret === null || isCopied || isStored;
  useLeaveWarning(!mayLeave);
  // Nothing but the button closes it: a slip of the hand would cost the secret.
  return (
    <Dialog open fullWidth maxWidth="sm" aria-labelledby={id} aria-describedby={`${id}-text`}>
      <DialogTitle id={id}>{translate("studio.keys.created")}</DialogTitle>
      <DialogContent>
        {secret === null ? <Alert severity="warning" id={`${id}-text`}>{translate("studio.keys.lost")}</Alert> : (
          <>
            <Typography id={`${id}-text`} gutterBottom>{translate("studio.keys.created_text")}</Typography>
            <Secret secret={secret} onCopied={() => setCopied(true)} />
            <Typography variant="body2" color="text.secondary" sx={{ my: 1 }}>{translate("studio.keys.keep")}</Typography>
            <FormControlLabel control={<Checkbox checked={isStored} onChange={(_, checked) => setStored(checked)} />} label={translate("studio.keys.confirm")} />
          </>
        )}
      </DialogContent>
      <DialogActions><Button variant="contained" disabled={!mayLeave} onClick={onDone}>{translate("studio.keys.done")}</Button></DialogActions>
    </Dialog>
  );
}

function Secret({ secret, onCopied }: { secret: string; onCopied: () => void }) {
  const translate = useTranslate();
  const label = translate(`resources.${RESOURCE}.fields.key`);
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
