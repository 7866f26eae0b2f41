/** One field of one record, changed where it stands. */
import { Popover } from "@mui/material";
import type { Row } from "@rowgate/client/react-admin";
import { Suspense, lazy, useRef, useState } from "react";
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";

const CellForm = lazy(() => import("./CellForm"));

export interface CellProps {
  model: Model;
  field: Field;
  record: Row;
  name: string;
}

export function CellEditor(props: CellProps) {
  const translate = useTranslate();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const label = translate(`resources.${nameOf(props.model)}.fields.${props.field.name}`);
  return (
    <>
      <button type="button" ref={button} className="edit" onClick={() => setOpen(true)} aria-label={translate("studio.list.edit_cell", { field: label, record: props.name })}>
        <svg viewBox="0 0 16 16" aria-hidden><path d="M2 14v-3l8-8 3 3-8 8zM11 2l1-1 3 3-1 1z" /></svg>
      </button>
      {isOpen && (
        // The popover finds its place once its form is there.
        <Suspense fallback={null}>
          <Popover open anchorEl={button.current} onClose={() => setOpen(false)} anchorOrigin={{ vertical: "bottom", horizontal: "right" }} transformOrigin={{ vertical: "top", horizontal: "right" }} slotProps={{ paper: { role: "dialog", "aria-label": label } }}>
            <CellForm {...props} onDone={() => setOpen(false)} />
          </Popover>
        </Suspense>
      )}
    </>
  );
}
