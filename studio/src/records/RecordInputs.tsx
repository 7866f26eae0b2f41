/** The inputs of a record: what is required and telling first, the rest behind a button. */
import ExpandMoreIcon from "@mui/icons-material/ExpandMoreOutlined";
import { Box, Button, Collapse, Typography } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { useFormState } from "react-hook-form";

import { typeOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { FieldInput } from "../inputs/FieldInput";
import { inputsOf } from "./values";

/** What takes the width of the form. */
const WIDE = ["text", "json", "vector"];
const isWide = (field: Field) => WIDE.includes(typeOf(field)) || field.display === "file";

export function RecordInputs({ model, on, brief = false }: { model: Model; on: "create" | "update"; brief?: boolean }) {
  const translate = useTranslate();
  const { errors } = useFormState();
  const [isOpen, setOpen] = useState(false);
  const { usual, further } = inputsOf(model, on, brief);
  const isShown = isOpen || further.some(({ name }) => name in errors);
  return (
    <Box sx={{ width: "100%" }}>
      <Typography variant="body2" color="text.secondary" gutterBottom>{translate("studio.record.required_fields")}</Typography>
      <Inputs model={model} on={on} fields={usual} />
      {further.length > 0 && (
        <>
          <Button onClick={() => setOpen(!isShown)} aria-expanded={isShown} startIcon={<ExpandMoreIcon sx={{ transform: isShown ? "rotate(180deg)" : "none" }} />} sx={{ my: 1 }}>
            {translate("studio.record.optional")}
          </Button>
          <Collapse in={isShown} mountOnEnter><Inputs model={model} on={on} fields={further} /></Collapse>
        </>
      )}
    </Box>
  );
}

function Inputs({ model, on, fields }: { model: Model; on: "create" | "update"; fields: readonly Field[] }) {
  return (
    <Box sx={{ display: "grid", gridTemplateColumns: { xs: "1fr", md: "1fr 1fr" }, columnGap: 2, rowGap: 2, alignItems: "start", pt: 1 }}>
      {fields.map((field) => (
        <Box key={field.name} sx={{ minWidth: 0, ...(isWide(field) ? { gridColumn: "1 / -1" } : {}) }}>
          <FieldInput model={model} field={field} on={on} />
        </Box>
      ))}
    </Box>
  );
}
