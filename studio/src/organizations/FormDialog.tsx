/** A form in a dialog. What the service refuses stands at its field, and above where it has none. */
import { RowgateError, fieldErrors } from "@rowgate/client/react-admin";
import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle } from "@mui/material";
import { type ReactNode, useId, useState } from "react";
import { Form, SaveButton, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { useHold } from "../live/freshness";

export type Values = Record<string, unknown>;

interface Props {
  title: string;
  /** What the button says that saves. */
  label: string;
  /** The fields that have an input here. */
  fields: readonly string[];
  values?: Values;
  onSave: (values: Values) => Promise<unknown>;
  onClose: () => void;
  /** The inputs; they may show what was refused at parts that are no fields. */
  children: ReactNode | ((error: unknown) => ReactNode);
  /** Whether the service refuses parts by the names that these have. */
  shows?: (error: unknown) => readonly string[];
  maxWidth?: "xs" | "md";
  /** Whether it can be sent as it opens. */
  isReady?: boolean;
}

/** The errors that have an input; others would keep a form from being sent again. */
export function faultsOf(error: unknown, fields: readonly string[]): Record<string, string> {
  const faults = error instanceof RowgateError ? fieldErrors(error) : {};
  return Object.fromEntries(Object.entries(faults).filter(([name]) => fields.includes(name)));
}

export function FormDialog({ title, label, fields, values = {}, onSave, onClose, children, shows = () => [], maxWidth = "xs", isReady = false }: Props) {
  const translate = useTranslate();
  const sentence = useSentence();
  const id = useId();
  const [error, setError] = useState<unknown>();
  useHold();
  const save = async (given: Values) => {
    setError(undefined);
    try {
      await onSave(given);
    } catch (failure) {
      const faults = faultsOf(failure, fields);
      if (Object.keys(faults).length === 0) setError(failure);
      return faults;
    }
    onClose();
    return undefined;
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth={maxWidth} aria-labelledby={id}>
      <Form onSubmit={save} record={values} sanitizeEmptyValues={false} noValidate>
        <DialogTitle id={id}>{title}</DialogTitle>
        <DialogContent>
          {error !== undefined && <Alert severity="error" sx={{ mb: 1 }}>{sentence(error, shows(error))}</Alert>}
          {typeof children === "function" ? children(error) : children}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate("studio.record.cancel")}</Button>
          <SaveButton label={label} icon={<></>} alwaysEnable={isReady} />
        </DialogActions>
      </Form>
    </Dialog>
  );
}
