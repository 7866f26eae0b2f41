/** The page of a model's records; the address holds all that is chosen in it. */
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import { useModel } from "../catalogue/context";
import { componentsOf } from "../extensions";
import { Page } from "../layout/Page";
import { useShortcut } from "../layout/shortcuts";
import { Listed, createPath } from "./RecordList";
import { Views } from "./Views";
import { useAddress } from "./state";

export function ListPage() {
  const model = useModel();
  const translate = useTranslate();
  const [state, change] = useAddress(model);
  const Own = componentsOf(nameOf(model))?.list;
  useShortcut("n", model.operations.create ? createPath(model) : undefined);
  return (
    <Page fill title={translate(`resources.${nameOf(model)}.name`, { smart_count: 2 })} actions={<Views model={model} state={state} change={change} />}>
      {Own ? <Own model={model} state={state} change={change} /> : <Listed model={model} state={state} change={change} />}
    </Page>
  );
}
