/** The conditions of a list, each a chip that opens its form. */
import FilterListIcon from "@mui/icons-material/FilterListOutlined";
import CloseIcon from "@mui/icons-material/CloseOutlined";
import { Box, Button, ButtonBase, IconButton, ListItemText, Menu, MenuItem, Popover } from "@mui/material";
import { Suspense, lazy, useRef, useState } from "react";
import { useGetMany, useLocale, useTranslate } from "react-admin";

import { fieldOf, labelOf, nameOf, shortId, typeOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { bytes, exact, milliseconds, money, moment, number, percent } from "../values/formats";
import { type Condition, operatorKey, operatorsOf } from "./conditions";

const ConditionForm = lazy(() => import("./ConditionForm"));

interface Props {
  model: Model;
  conditions: readonly Condition[];
  onChange: (conditions: readonly Condition[]) => void;
}

export function Filters({ model, conditions, onChange }: Props) {
  const translate = useTranslate();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [isChoosing, setChoosing] = useState(false);
  const [edited, setEdited] = useState<{ field: Field; place: number }>();
  const add = useRef<HTMLButtonElement>(null);
  const choices = model.fields.filter((field) => field.filterable && field.readable && operatorsOf(field).length > 0 && field.name !== "id");
  const label = (field: Field) => translate(`resources.${nameOf(model)}.fields.${field.name}`);
  const sorted = [...choices].sort((one, other) => label(one).localeCompare(label(other)));
  const close = () => (setEdited(undefined), setAnchor(null));
  const keep = (condition: Condition) => {
    const next = [...conditions];
    next[edited!.place] = condition;
    onChange(next);
    close();
  };
  if (choices.length === 0) return null;
  return (
    <>
      {conditions.map((condition, place) => (
        <ConditionChip
          key={place} model={model} condition={condition} onDelete={() => onChange(conditions.filter((_, index) => index !== place))}
          onOpen={(element) => (setAnchor(element), setEdited({ field: fieldOf(model, condition[0])!, place }))}
        />
      ))}
      <Button ref={add} size="small" startIcon={<FilterListIcon />} aria-haspopup="menu" onClick={() => setChoosing(true)}>{translate("studio.list.filter")}</Button>
      <Menu open={isChoosing} anchorEl={add.current} onClose={() => setChoosing(false)} slotProps={{ list: { "aria-label": translate("studio.list.add_filter"), dense: true } }}>
        {sorted.map((field) => (
          <MenuItem key={field.name} onClick={() => (setChoosing(false), setAnchor(add.current), setEdited({ field, place: conditions.length }))}>
            <ListItemText>{label(field)}</ListItemText>
          </MenuItem>
        ))}
      </Menu>
      {edited && (
        <Suspense fallback={null}>
          <Popover open anchorEl={anchor} onClose={close} anchorOrigin={{ vertical: "bottom", horizontal: "left" }} slotProps={{ paper: { role: "dialog", "aria-label": label(edited.field) } }}>
            <ConditionForm model={model} field={edited.field} condition={conditions[edited.place]} onKeep={keep} onCancel={close} />
          </Popover>
        </Suspense>
      )}
    </>
  );
}

function ConditionChip({ model, condition, onDelete, onOpen }: { model: Model; condition: Condition; onDelete: () => void; onOpen: (element: HTMLElement) => void }) {
  const translate = useTranslate();
  const [name, operator, value] = condition;
  const field = fieldOf(model, name)!;
  const isTold = operator !== "isNull" && operator !== "is";
  const told = useTold(field, isTold ? value : null);
  const text = [translate(`resources.${nameOf(model)}.fields.${name}`), translate(operatorKey(field, operator, value)), isTold ? told : ""].filter(Boolean).join(" ");
  return (
    <Box sx={{ display: "inline-flex", alignItems: "center", maxWidth: 380, borderRadius: 4, bgcolor: "action.selected" }}>
      <ButtonBase onClick={(event) => onOpen(event.currentTarget)} aria-haspopup="dialog" sx={{ minWidth: 0, px: 1.5, py: 0.5, borderRadius: 4, typography: "body2" }}>
        <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>{text}</Box>
      </ButtonBase>
      <IconButton size="small" onClick={onDelete} aria-label={translate("studio.list.remove_filter", { filter: text })}><CloseIcon fontSize="inherit" /></IconButton>
    </Box>
  );
}

/** A value of a condition as people read it. */
function useTold(field: Field, value: unknown): string {
  const locale = useLocale();
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const target = field.references && catalogue.get(field.references.model);
  const { data } = useGetMany(field.references?.model ?? "", { ids: [String(value)] }, { enabled: Boolean(target) && typeof value === "string" });
  if (target && typeof value === "string") return (data?.[0] && labelOf(target, data[0] as Record<string, unknown>)) ?? shortId(value);
  const one = (each: unknown): string => {
    if (each === null) return translate("studio.record.empty");
    if (typeof each === "boolean") return translate(each ? "studio.input.yes" : "studio.input.no");
    if (typeOf(field) === "enum") return translate(`value.${field.name}.${String(each)}`);
    if (field.type === "timestamp") return moment(String(each), locale);
    if (typeof each !== "number") return exact(field.type, each, locale) ?? String(each);
    if (field.display === "money") return money(each, catalogue.currency, locale);
    if (field.display === "bytes") return bytes(each, locale);
    if (field.display === "milliseconds") return milliseconds(each, locale);
    return field.display === "percent" ? percent(each, locale) : number(each, locale);
  };
  return Array.isArray(value) ? value.map(one).join(", ") : one(value);
}
