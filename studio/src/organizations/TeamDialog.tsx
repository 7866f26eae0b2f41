/** The form of a team: a new one, or what one that is there is called. */
import { type Row, VersionConflict } from "@rowgate/client/react-admin";
import { useState } from "react";
import { useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { useWrites } from "../changes/undo";
import { FormDialog, type Values } from "./FormDialog";
import { TextLine } from "./TextLine";
import { useRenewal } from "./queries";
import type { Standing } from "./standing";

const RESOURCE = "auth/team";

export function TeamDialog({ standing, team, onClose }: { standing: Standing; team?: Row; onClose: () => void }) {
  const translate = useTranslate();
  const { meta, tell } = useWrites();
  const renew = useRenewal([RESOURCE, "auth/invitation"]);
  // A save is for the version with which somebody began, and after a conflict for what is stored by now.
  const [began] = useState(team);
  const [hasConflict, setConflict] = useState(false);
  const [values] = useState<Values>(() => (team ? { name: team.name as unknown, description: team.description as unknown } : {}));
  const save = async ({ name, description = null }: Values) => {
    const data = { name, description };
    try {
      if (team) await provider.update(RESOURCE, { id: team.id, data, previousData: (hasConflict ? team : began)!, meta });
      else await provider.create(RESOURCE, { data: { ...data, organizationId: standing.id }, meta });
    } catch (error) {
      setConflict(error instanceof VersionConflict);
      throw error;
    } finally {
      void renew();
    }
    tell("studio.organizations.saved");
  };
  const title = team ? `${translate("studio.organizations.rename")}: ${String(team.name)}` : translate("studio.organizations.add_team");
  return (
    <FormDialog title={title} label="studio.organizations.save" fields={["name", "description"]} values={values} onSave={save} onClose={onClose}>
      <TextLine resource={RESOURCE} source="name" label="studio.organizations.name" isRequired autoFocus />
      <TextLine resource={RESOURCE} source="description" label={`resources.${RESOURCE}.fields.description`} multiline />
    </FormDialog>
  );
}
