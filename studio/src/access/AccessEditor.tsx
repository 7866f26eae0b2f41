/** The grants of what is stored, with what they come to beside them, as of the last save. */
import { useQueryClient } from "@tanstack/react-query";
import { Alert, Box, Button, Stack } from "@mui/material";
import { useState } from "react";
import { useNotify, useTranslate } from "react-admin";

import { isStale, useSentence } from "../api/sentences";
import { space } from "../design/tokens";
import { StepUp } from "../session/StepUp";
import { GrantsEditor, type Whose } from "./GrantsInput";
import { EXPLAINED, Sees, type Subject } from "./Sees";
import { type Access, faultsOfAccess, isSame } from "./grants";

interface Props {
  whose: Whose;
  stored: Access;
  /** Of whom is asked what the list comes to; nobody where it is of many. */
  subject?: Subject;
  onSave: (access: Access) => Promise<unknown>;
}

export function AccessEditor({ whose, stored, subject, onSave }: Props) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const queries = useQueryClient();
  const [access, setAccess] = useState(stored);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isChanged = !isSame(access, stored);
  const faults = faultsOfAccess(error);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onSave(access);
      notify("studio.record.saved", { type: "success" });
      await queries.invalidateQueries({ queryKey: [EXPLAINED] });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Box sx={{ display: "grid", gridTemplateColumns: subject ? { xs: "minmax(0, 1fr)", md: "minmax(0, 3fr) minmax(0, 2fr)" } : "minmax(0, 1fr)", gap: space.usual }}>
      <Box sx={{ minWidth: 0 }}>
        {error !== undefined && <Alert severity="error" sx={{ mb: space.near }} action={isStale(error) && <StepUp onProved={() => void save()} />}>{sentence(error, Object.keys(faults))}</Alert>}
        <GrantsEditor whose={whose} value={access} onChange={setAccess} faults={faults} />
        <Stack direction="row" spacing={space.near}>
          <Button variant="contained" disabled={!isChanged || isBusy} onClick={() => void save()}>{translate("studio.access.save")}</Button>
          <Button disabled={!isChanged || isBusy} onClick={() => (setError(undefined), setAccess(stored))}>{translate("studio.record.discard")}</Button>
        </Stack>
      </Box>
      {subject && <Sees title={translate("keyId" in subject ? "studio.access.sees_key" : "studio.access.sees_member")} subject={subject} stored={stored} />}
    </Box>
  );
}
