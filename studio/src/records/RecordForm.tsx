/** The form of a record, for a new one and for one that is there. */
import { Button, Paper } from "@mui/material";
import type { ReactNode } from "react";
import { SaveButton, SimpleForm, Toolbar, useTranslate } from "react-admin";
import { useNavigate } from "react-router-dom";

import type { Model } from "../catalogue/types";
import { DraftKeeper } from "./DraftKeeper";
import { RecordInputs } from "./RecordInputs";

interface Props {
  model: Model;
  on: "create" | "update";
  draft: string;
  /** What the inputs hold at first, for a new record. */
  values?: Record<string, unknown>;
  /** What is said above the inputs. */
  notice?: ReactNode;
}

export function RecordForm({ model, on, draft, values, notice }: Props) {
  return (
    <Paper variant="outlined">
      <SimpleForm warnWhenUnsavedChanges mode="onTouched" reValidateMode="onChange" toolbar={<Actions />} {...(values ? { defaultValues: values } : {})} noValidate>
        {notice}
        <DraftKeeper id={draft} model={model} />
        <RecordInputs model={model} on={on} />
      </SimpleForm>
    </Paper>
  );
}

function Actions() {
  const translate = useTranslate();
  const navigate = useNavigate();
  return (
    <Toolbar sx={{ gap: 1, position: "sticky", bottom: -16, zIndex: 1, bgcolor: "background.paper", borderTop: 1, borderColor: "divider", borderRadius: "inherit" }}>
      <SaveButton label="studio.record.save" />
      <Button onClick={() => navigate(-1)}>{translate("studio.record.cancel")}</Button>
    </Toolbar>
  );
}
