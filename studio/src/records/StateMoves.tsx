/** A state as a badge that opens the moves it allows. */
import ArrowDropDownIcon from "@mui/icons-material/ArrowDropDownOutlined";
import { Chip, Menu, MenuItem } from "@mui/material";
import { useRef, useState } from "react";
import { useNotify, useShowContext, useTranslate, useUpdate } from "react-admin";

import { useSentence } from "../api/sentences";
import { isSettable, movesFrom, nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";
import { Badge } from "../values/Value";
import { toneOf } from "../values/tones";

interface Props {
  model: Model;
  field: Field;
  record: Readonly<Record<string, unknown>> & { id: string };
}

/** Whether the field is a state of which somebody may move the record to another. */
export function canMove({ model, field, record }: Props): boolean {
  const isState = model.transitions?.[field.name] !== undefined && typeof record[field.name] === "string";
  return isState && Boolean(model.operations.update) && isSettable(field, "update") && movesFrom(model, field, record[field.name]).length > 1;
}

export function StateMoves({ model, field, record }: Props) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const { refetch } = useShowContext();
  const { meta, tell } = useWrites(model.undoable);
  const badge = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [update, { isPending }] = useUpdate();
  const [now, ...moves] = movesFrom(model, field, record[field.name]);
  const named = translate(`value.${field.name}.${now!}`);
  const move = (value: string) => {
    setOpen(false);
    void update(
      nameOf(model), { id: record.id, data: { [field.name]: value }, previousData: record, meta },
      { mutationMode: "pessimistic", onSuccess: () => tell("studio.record.saved"), onError: (error: unknown) => notify(sentence(error), { type: "error" }), onSettled: () => void refetch() },
    );
  };
  const open = () => setOpen(true);
  return (
    <>
      <Chip
        ref={badge} size="small" variant="outlined" color={toneOf(now!)} label={named} disabled={isPending} onClick={open} onDelete={open} deleteIcon={<ArrowDropDownIcon />}
        aria-haspopup="menu" aria-label={`${named}: ${translate("studio.record.moves")}`}
      />
      <Menu open={isOpen} anchorEl={badge.current} onClose={() => setOpen(false)} slotProps={{ list: { "aria-label": translate("studio.record.moves"), dense: true } }}>
        {moves.map((each) => <MenuItem key={each} onClick={() => move(each)}><Badge field={field.name} value={each} /></MenuItem>)}
      </Menu>
    </>
  );
}
