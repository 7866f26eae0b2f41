/** A question before something that cannot be taken back. */
import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle } from "@mui/material";
import { useId, useState } from "react";
import { useTranslate } from "react-admin";

interface Props {
  title: string;
  text: string;
  /** What the button says that does it. */
  label: string;
  onDo: () => Promise<unknown>;
  onClose: () => void;
}

export function Question({ title, text, label, onDo, onClose }: Props) {
  const translate = useTranslate();
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const act = () => (setBusy(true), void onDo().finally(onClose));
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={id} aria-describedby={`${id}-text`}>
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent><DialogContentText id={`${id}-text`}>{text}</DialogContentText></DialogContent>
      <DialogActions>
        <Button autoFocus onClick={onClose}>{translate("studio.record.cancel")}</Button>
        <Button color="error" variant="contained" disabled={isBusy} onClick={act}>{label}</Button>
      </DialogActions>
    </Dialog>
  );
}
