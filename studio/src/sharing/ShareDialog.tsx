/** With whom a record is shared, and the links that show it. */
import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from "@mui/material";
import { useId } from "react";
import { useTranslate } from "react-admin";

import type { Model } from "../catalogue/types";
import { Links } from "./Links";
import { People } from "./People";

interface Props {
  model: Model;
  id: string;
  name: string;
  onClose: () => void;
}

export default function ShareDialog({ model, id, name, onClose }: Props) {
  const translate = useTranslate();
  const title = useId();
  const path = `${model.path}/${id}`;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby={title}>
      <DialogTitle id={title}>{translate("studio.sharing.title", { name })}</DialogTitle>
      <DialogContent>
        {model.shares && <People path={path} />}
        {model.links && <Links path={path} />}
      </DialogContent>
      <DialogActions><Button onClick={onClose}>{translate("studio.transfer.close")}</Button></DialogActions>
    </Dialog>
  );
}
