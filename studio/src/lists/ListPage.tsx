/** The page of a model's records; the address holds all that is chosen in it. */
import PushPinIcon from "@mui/icons-material/PushPinOutlined";
import { IconButton, Tooltip } from "@mui/material";
import { useEffect } from "react";
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import { useModel, usePerson } from "../catalogue/context";
import { componentsOf } from "../extensions";
import { Page } from "../layout/Page";
import { togglePin, usePins, visit } from "../layout/pins";
import { useShortcut } from "../layout/shortcuts";
import { Listed, createPath } from "./RecordList";
import { Views } from "./Views";
import { useAddress } from "./state";

export function ListPage() {
  const model = useModel();
  const translate = useTranslate();
  const [state, change] = useAddress(model);
  const Own = componentsOf(nameOf(model))?.list;
  const name = nameOf(model);
  const { id: person } = usePerson();
  const isPinned = usePins(person).includes(name);
  const pin = translate(isPinned ? "studio.menu.unpin" : "studio.menu.pin");
  useEffect(() => visit(name), [name]);
  useShortcut("n", model.operations.create ? createPath(model) : undefined);
  return (
    <Page
      fill title={translate(`resources.${name}.name`, { smart_count: 2 })}
      actions={(
        <>
          <Tooltip title={pin}><IconButton onClick={() => togglePin(person, name)} aria-label={pin} aria-pressed={isPinned}>{isPinned ? <PushPinIcon color="primary" /> : <PushPinIcon />}</IconButton></Tooltip>
          <Views model={model} state={state} change={change} />
        </>
      )}
    >
      {Own ? <Own model={model} state={state} change={change} /> : <Listed model={model} state={state} change={change} />}
    </Page>
  );
}
