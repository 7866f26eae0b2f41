/** The edge of a column, by which it is made wider: dragged, or with the arrow keys. */
import { Box } from "@mui/material";
import type { KeyboardEvent, PointerEvent } from "react";
import { useTranslate } from "react-admin";

const [LEAST, MOST, STEP] = [64, 800, 16];
const bounded = (width: number) => Math.round(Math.min(MOST, Math.max(LEAST, width)));

export function ColumnWidth({ label, width, onChange }: { label: string; width: number; onChange: (width: number) => void }) {
  const translate = useTranslate();
  const drag = (down: PointerEvent<HTMLElement>) => {
    const edge = down.currentTarget;
    edge.setPointerCapture(down.pointerId);
    const move = (event: globalThis.PointerEvent) => onChange(bounded(width + event.clientX - down.clientX));
    const up = () => (edge.removeEventListener("pointermove", move), edge.removeEventListener("pointerup", up));
    edge.addEventListener("pointermove", move);
    edge.addEventListener("pointerup", up);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onChange(bounded(width + step));
  };
  return (
    <Box
      role="separator" aria-orientation="vertical" aria-label={translate("studio.list.wider", { field: label })} aria-valuenow={width} aria-valuemin={LEAST} aria-valuemax={MOST} tabIndex={0}
      onPointerDown={drag} onKeyDown={press}
      sx={{ width: 8, cursor: "col-resize", touchAction: "none", borderInlineEnd: 1, borderColor: "divider", "&:hover, &:focus-visible": { borderColor: "primary.main", borderInlineEndWidth: 3 } }}
    />
  );
}
