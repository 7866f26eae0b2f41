/** The form of one condition: how the field is compared, and with what. */
import { Button, Stack, ToggleButton, ToggleButtonGroup } from "@mui/material";
import { useState } from "react";
import { CheckboxGroupInput, Form, SaveButton, useTranslate } from "react-admin";

import { nameOf, typeOf, valuesOf } from "../catalogue/catalogue";
import type { Field, Model, Operator } from "../catalogue/types";
import { FieldInput } from "../inputs/FieldInput";
import { PointInput } from "../inputs/PointInput";
import { StringsInput } from "../inputs/StringsInput";
import { validatorOf } from "../inputs/validation";
import { type Condition, ME, operatorKey, operatorsOf, takesMany } from "./conditions";

interface Props {
  model: Model;
  field: Field;
  condition: Condition | undefined;
  onKeep: (condition: Condition) => void;
  onCancel: () => void;
}

/** So many values are all shown; of more, one searches. */
const FEW = 12;
/** Ways to compare that stand there at once: the usual ones. */
const USUAL = 3;
const OPERATORS = { flexWrap: "wrap", gap: 0.5, "& .MuiToggleButton-root": { border: 1, borderColor: "divider", borderRadius: 4, px: 1.25, py: 0.25 } };

/** An operator with the value that goes with it: `isNull` asks for what is empty and for what is not, `is` for whoever asks. */
type Choice = readonly [Operator, boolean | string | undefined];

function choicesOf(field: Field): readonly Choice[] {
  return operatorsOf(field).flatMap<Choice>((operator) =>
    operator === "isNull" ? [[operator, true], [operator, false]] : [[operator, operator === "is" ? ME : undefined]]);
}

export default function ConditionForm({ model, field, condition, onKeep, onCancel }: Props) {
  const translate = useTranslate();
  const choices = choicesOf(field);
  const first = choices.findIndex(([operator, value]) => operator === condition?.[1] && (value === undefined || value === condition[2]));
  const [place, setPlace] = useState(Math.max(first, 0));
  const [operator, fixed] = choices[place]!;
  const [isWhole, setWhole] = useState(place >= USUAL || choices.length === USUAL + 1);
  const save = (values: Record<string, unknown>) => {
    const value = fixed ?? (takesMany(operator) ? items(field, values.values) : values[field.name]);
    if (value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)) return onCancel();
    return onKeep([field.name, operator, value]);
  };
  const operand = fixed !== undefined ? "none" : takesMany(operator) ? "many" : "one";
  const initial = { [field.name]: takesMany(operator) || fixed !== undefined || condition?.[1] === "is" ? undefined : condition?.[2], values: Array.isArray(condition?.[2]) ? (condition[2] as unknown[]).map(String) : [] };
  return (
    <Form onSubmit={save} defaultValues={initial} sanitizeEmptyValues={false} key={operand}>
      <Stack spacing={1.5} sx={{ p: 2, width: 340, maxWidth: "90vw" }}>
        <ToggleButtonGroup
          exclusive size="small" color="primary" value={place} onChange={(_, chosen: number | null) => chosen !== null && setPlace(chosen)} sx={OPERATORS}
          aria-label={`${translate(`resources.${nameOf(model)}.fields.${field.name}`)}: ${translate("studio.list.operator")}`}
        >
          {(isWhole ? choices : choices.slice(0, USUAL)).map(([each, value], index) => <ToggleButton key={index} value={index}>{translate(operatorKey(field, each, value))}</ToggleButton>)}
        </ToggleButtonGroup>
        {!isWhole && choices.length > USUAL && <Button size="small" sx={{ alignSelf: "flex-start" }} onClick={() => setWhole(true)}>{translate("studio.list.more_operators")}</Button>}
        {operand !== "none" && <Operand model={model} field={field} operator={operator} />}
        <Stack direction="row" spacing={1} sx={{ justifyContent: "flex-end" }}>
          <Button onClick={onCancel}>{translate("studio.record.cancel")}</Button>
          <SaveButton label="studio.list.apply" icon={<></>} alwaysEnable />
        </Stack>
      </Stack>
    </Form>
  );
}

function Operand({ model, field, operator }: { model: Model; field: Field; operator: Operator }) {
  const translate = useTranslate();
  if (takesMany(operator)) {
    const choice = field.type === "array<string>" ? field.constraints?.items : typeOf(field) === "enum" ? valuesOf(field) : undefined;
    if (choice && choice.length <= FEW) {
      const named = choice.map((id) => ({ id, name: typeOf(field) === "enum" ? translate(`value.${field.name}.${id}`) : id }));
      return <CheckboxGroupInput source="values" label="studio.list.values" choices={named} translateChoice={false} row={false} helperText={false} />;
    }
    return <StringsInput source="values" label="studio.list.values" helperText={false} validate={() => undefined} isRequired={false} items={choice} names={typeOf(field) === "enum" ? field.name : undefined} />;
  }
  if (operator === "near") {
    return <PointInput source={field.name} label={`resources.${nameOf(model)}.fields.${field.name}`} helperText={false} validate={validatorOf(field, false, translate)} isRequired={false} autoFocus hasReach />;
  }
  // Part of a text need not have the form of the whole, and an array is asked for one of its items.
  const { constraints: _, note: __, ...plain } = field;
  const asked: Field = { ...plain, type: field.type === "array<string>" || field.type === "text" ? "string" : field.type, nullable: false, required: false, readable: true, ...(field.constraints && field.type !== "array<string>" && !["string", "text"].includes(field.type) ? { constraints: {} } : {}) };
  return <FieldInput model={model} field={asked} on="create" autoFocus />;
}

function items(field: Field, values: unknown): unknown[] {
  const given = Array.isArray(values) ? (values as string[]) : [];
  return ["integer", "number"].includes(field.type) ? given.map(Number).filter((each) => !Number.isNaN(each)) : given;
}
