/** The settings of an organization: a form for managers, and what they are for everybody else. */
import { type Row, VersionConflict } from "@rowgate/client/react-admin";
import { useQuery } from "@tanstack/react-query";
import { Alert, Box, Paper, Stack, Typography } from "@mui/material";
import { useEffect, useState } from "react";
import { BooleanInput, Form, SaveButton, useTranslate } from "react-admin";
import { useFormContext } from "react-hook-form";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { fieldOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";
import { LazyJsonInput } from "../inputs/LazyJsonInput";
import { useHeard } from "../live/heard";
import { ConflictDialog } from "../records/ConflictDialog";
import { Value } from "../values/Value";
import { AccentInput } from "./AccentInput";
import { DeleteOrganization } from "./DeleteOrganization";
import { type Values, faultsOf } from "./FormDialog";
import { Section } from "../design/Section";
import { TextLine } from "./TextLine";
import { useRenewal } from "./queries";
import type { Standing } from "./standing";

const RESOURCE = "auth/organization";
const FIELDS = ["name", "slug", "logo", "requireTwoFactor", "publicLinks", "outsideShares", "metadata"];

export function Settings({ standing }: { standing: Standing }) {
  const translate = useTranslate();
  const model = useCatalogue().get(RESOURCE);
  const { id } = standing;
  // The form begins with what is stored when it opens; what comes later does not take the place of what somebody is writing.
  const query = useQuery({
    queryKey: [RESOURCE, "settings", id], refetchOnWindowFocus: false, gcTime: 0, queryFn: async ({ signal }) => (await provider.getOne(RESOURCE, { id, signal })).data,
  });
  // An undo, or somebody else, may have changed it; a form that is written in stays as it is.
  useHeard(RESOURCE, () => void query.refetch());
  const organization = query.data;
  const mayDelete = standing.isOwner && !standing.isPersonal && model?.operations.delete;
  return (
    <>
      <Section title={translate("studio.organizations.settings")} query={query}>
        {organization && model && (standing.isManager ? <SettingsForm key={id} model={model} organization={organization} /> : <Told model={model} organization={organization} />)}
      </Section>
      {organization && mayDelete && <DeleteOrganization organization={organization} />}
    </>
  );
}

const WORDS: Record<string, string> = {
  name: "studio.organizations.name", slug: "studio.organizations.slug", logo: "studio.organizations.logo", requireTwoFactor: "studio.organizations.two_factor", publicLinks: "studio.organizations.links", outsideShares: "studio.organizations.outside",
  metadata: `resources.${RESOURCE}.fields.metadata`,
};

function Told({ model, organization }: { model: Model; organization: Row }) {
  const translate = useTranslate();
  return (
    <Paper variant="outlined" component="dl" sx={{ p: 2, m: 0, display: "grid", gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" }, gap: 2 }}>
      {FIELDS.flatMap((name) => fieldOf(model, name) ?? []).map((field) => (
        <Box key={field.name} sx={{ minWidth: 0 }}>
          <Typography component="dt" variant="body2" color="text.secondary">{translate(WORDS[field.name] ?? field.name)}</Typography>
          <Box component="dd" sx={{ m: 0, overflowWrap: "anywhere" }}><Value model={model} field={field} record={organization} /></Box>
        </Box>
      ))}
    </Paper>
  );
}

interface Conflict {
  mine: Row;
  stored: Row | undefined;
}

function SettingsForm({ model, organization }: { model: Model; organization: Row }) {
  const sentence = useSentence();
  const renew = useRenewal([RESOURCE, "auth/member"]);
  const { meta, start, tell } = useWrites();
  // What the form began with: a save is for this version.
  const [base, setBase] = useState(organization);
  const [conflict, setConflict] = useState<Conflict>();
  const [error, setError] = useState<unknown>();
  const save = async (values: Values, from = base) => {
    setError(undefined);
    start();
    const data = Object.fromEntries(FIELDS.map((name) => [name, values[name]]));
    try {
      const saved = await provider.update(RESOURCE, { id: from.id, data, previousData: from, meta });
      setConflict(undefined);
      setBase(saved.data);
      tell("studio.organizations.saved");
      void renew();
      return undefined;
    } catch (failure) {
      const faults = faultsOf(failure, FIELDS);
      if (failure instanceof VersionConflict) setConflict({ mine: { ...from, ...data }, stored: await storedOf(from.id) });
      else if (conflict || Object.keys(faults).length === 0) (setError(failure), setConflict(undefined));
      return faults;
    }
  };
  const reload = () => (setConflict(undefined), conflict?.stored && setBase(conflict.stored), void renew());
  return (
    <>
      {error !== undefined && <Alert severity="error" sx={{ mb: 1 }}>{sentence(error)}</Alert>}
      <Paper variant="outlined" sx={{ p: 2 }}><Fields base={base} stored={organization} onNewer={setBase} onSave={(values) => save(values)} /></Paper>
      {conflict && (
        <ConflictDialog
          model={model} base={base} {...conflict} onReload={reload} onCancel={() => setConflict(undefined)} onSettle={(values) => conflict.stored && void save(values, conflict.stored)}
        />
      )}
    </>
  );
}

/** The organization as it is now; nothing where it is gone, or cannot be read. */
const storedOf = (id: string) => provider.getOne(RESOURCE, { id }).then(({ data }) => data, () => undefined);

interface FieldsProps {
  base: Row;
  stored: Row;
  onNewer: (stored: Row) => void;
  onSave: (values: Values) => Promise<object | undefined>;
}

function Fields({ base, stored, onNewer, onSave }: FieldsProps) {
  return (
    <Form record={base} onSubmit={onSave} sanitizeEmptyValues={false} warnWhenUnsavedChanges noValidate>
      <Untouched stored={stored} onNewer={onNewer} />
      <Box sx={{ display: "grid", gridTemplateColumns: { xs: "1fr", md: "1fr 1fr" }, columnGap: 2, rowGap: 1.5 }}>
        <TextLine resource={RESOURCE} source="name" label={WORDS.name!} isRequired />
        <TextLine resource={RESOURCE} source="slug" label={WORDS.slug!} isRequired />
        <TextLine resource={RESOURCE} source="logo" label={WORDS.logo!} type="url" />
        <AccentInput />
      </Box>
      <BooleanInput source="requireTwoFactor" label={WORDS.requireTwoFactor!} helperText="studio.organizations.two_factor_text" />
      <BooleanInput source="publicLinks" label={WORDS.publicLinks!} helperText="studio.organizations.links_text" />
      <BooleanInput source="outsideShares" label={WORDS.outsideShares!} helperText="studio.organizations.outside_text" />
      <LazyJsonInput source="metadata" label={WORDS.metadata!} helperText={false} validate={() => undefined} isRequired={false} shape="object" />
      <Stack direction="row" sx={{ mt: 1 }}><SaveButton label="studio.organizations.save" /></Stack>
    </Form>
  );
}

/** Has the form around it begin with what is stored by now, such as after an undo, where nobody has written in it. */
function Untouched({ stored, onNewer }: { stored: Row; onNewer: (stored: Row) => void }) {
  const { formState: { isDirty } } = useFormContext();
  useEffect(() => {
    if (!isDirty) onNewer(stored);
    // What is written later does not make what was stored before any newer.
  }, [stored]);
  return null;
}
