/** A new secret for a key, and how long the old one goes on. */
import { Alert, Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle, MenuItem, TextField } from "@mui/material";
import { type FormEvent, useId, useState } from "react";
import { useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { ask } from "../session/transport";
import { type Made, pathOfKey, useLateRenewal } from "./keys";

/** Seconds, each with its words. */
const GRACES = [
  { seconds: 0, word: "none", count: 0 }, { seconds: 300, word: "minutes", count: 5 }, { seconds: 3600, word: "hours", count: 1 },
  { seconds: 86_400, word: "hours", count: 24 }, { seconds: 604_800, word: "days", count: 7 },
] as const;

interface Props {
  id: string;
  onMade: (made: Made) => void;
  onClose: () => void;
}

export function RotateDialog({ id, onMade, onClose }: Props) {
  const translate = useTranslate();
  const sentence = useSentence();
  const renew = useLateRenewal();
  const name = useId();
  const [graceSeconds, setGrace] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const rotate = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { id: made, key = null } = await ask<Made>("POST", pathOfKey(id, "rotate"), { graceSeconds });
      await renew();
      onMade({ id: made, key });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  // A rotation that is under way cannot be left: its answer holds the secret.
  return (
    <Dialog open onClose={isBusy ? undefined : onClose} fullWidth maxWidth="xs" aria-labelledby={name} aria-describedby={`${name}-text`}>
      <form onSubmit={(event) => void rotate(event)}>
        <DialogTitle id={name}>{translate("studio.keys.rotate")}</DialogTitle>
        <DialogContent>
          {error !== undefined && <Alert severity="error" sx={{ mb: 1 }}>{sentence(error)}</Alert>}
          <DialogContentText id={`${name}-text`}>{translate("studio.keys.rotate_text")}</DialogContentText>
          <TextField select fullWidth margin="normal" label={translate("studio.keys.grace")} value={graceSeconds} onChange={(event) => setGrace(Number(event.target.value))}>
            {GRACES.map(({ seconds, word, count }) => <MenuItem key={seconds} value={seconds}>{translate(`studio.keys.grace_${word}`, { smart_count: count })}</MenuItem>)}
          </TextField>
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose} disabled={isBusy}>{translate("studio.record.cancel")}</Button>
          <Button type="submit" variant="contained" disabled={isBusy}>{translate("studio.keys.rotate")}</Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
