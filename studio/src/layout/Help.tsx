/** The keys of the keyboard, behind `?`. */
import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Table, TableBody, TableCell, TableRow } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";

import { useKey } from "./shortcuts";

const KEYS = { search: "/", create: "n", edit: "e", save: "Ctrl S", palette: "Ctrl K", cells: "↑ ↓ ← → Enter", block: "Ctrl C, Ctrl V", fill: "Ctrl D", help: "?", close: "Esc" };

export function Help() {
  const translate = useTranslate();
  const [isOpen, setOpen] = useState(false);
  useKey("?", isOpen ? undefined : () => setOpen(true));
  if (!isOpen) return null;
  return (
    <Dialog open onClose={() => setOpen(false)} aria-labelledby="help-title">
      <DialogTitle id="help-title">{translate("studio.help.title")}</DialogTitle>
      <DialogContent>
        <Table size="small">
          <TableBody>
            {Object.entries(KEYS).map(([name, key]) => (
              <TableRow key={name}><TableCell component="th" scope="row">{translate(`studio.help.${name}`)}</TableCell><TableCell><kbd>{key}</kbd></TableCell></TableRow>
            ))}
          </TableBody>
        </Table>
      </DialogContent>
      <DialogActions><Button autoFocus onClick={() => setOpen(false)}>{translate("ra.action.close")}</Button></DialogActions>
    </Dialog>
  );
}
