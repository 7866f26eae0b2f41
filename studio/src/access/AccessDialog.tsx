/** The grants of a member or a team, which managers of the organization set. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle, LinearProgress } from "@mui/material";
import { useId } from "react";
import { useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { ask } from "../session/transport";
import { AccessEditor } from "./AccessEditor";
import type { Access } from "./grants";

interface Props {
  kind: "member" | "team";
  id: string;
  name: string;
  onClose: () => void;
}

interface Stored {
  access: Access;
  /** What the teams of a member leave. */
  teamAccess?: Access;
}

export default function AccessDialog({ kind, id, name, onClose }: Props) {
  const translate = useTranslate();
  const sentence = useSentence();
  const queries = useQueryClient();
  const title = useId();
  const path = `/api/v1/auth/${kind}/${id}/_access`;
  const key = ["grants", kind, id];
  const { data, error } = useQuery({ queryKey: key, queryFn: ({ signal }) => ask<Stored>("GET", path, undefined, signal) });
  const save = async (access: Access) => {
    queries.setQueryData(key, await ask<Stored>("PUT", path, { access }));
    // What narrows a team narrows its members.
    await queries.invalidateQueries({ queryKey: ["grants"], refetchType: "none" });
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth={kind === "member" ? "lg" : "md"} aria-labelledby={title}>
      <DialogTitle id={title}>{translate("studio.access.title", { name })}</DialogTitle>
      <DialogContent>
        {error ? <Alert severity="error">{sentence(error)}</Alert> : !data ? <LinearProgress aria-label={translate("studio.list.loading")} /> : (
          <>
            {data.teamAccess && <Alert severity="info" sx={{ mb: 1 }}>{translate("studio.access.by_teams", { smart_count: data.teamAccess.length })}</Alert>}
            <AccessEditor whose={kind} stored={data.access} onSave={save} {...(kind === "member" ? { subject: { memberId: id } } : {})} />
          </>
        )}
      </DialogContent>
      <DialogActions><Button onClick={onClose}>{translate("studio.transfer.close")}</Button></DialogActions>
    </Dialog>
  );
}
