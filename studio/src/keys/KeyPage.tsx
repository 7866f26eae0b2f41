/** A key: what it may do, what can be done with it, how it was used, and how programs use it. */
import { RowgateError } from "@rowgate/client/react-admin";
import { Alert, Button, LinearProgress, Stack } from "@mui/material";
import { useTranslate } from "react-admin";
import { Link, useParams } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { Page } from "../layout/Page";
import { Badge } from "../values/Value";
import { HowToUse } from "./HowToUse";
import { KeyAccess } from "./KeyAccess";
import { KeyActions } from "./KeyActions";
import { KeySettings } from "./KeySettings";
import { KeyUsage } from "./KeyUsage";
import { Start } from "./KeysPage";
import { LastUses } from "./LastUses";
import { useKey } from "./keys";

export default function KeyPage() {
  const { id = "" } = useParams();
  // A rotation leads to another key, of which nothing is known yet.
  return <Shown key={id} id={id} />;
}

function Shown({ id }: { id: string }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const { data: apiKey, error, isLoadingError } = useKey(id);
  // What was read before a key was revoked is no longer so.
  const isGone = error instanceof RowgateError && error.status === 404;
  const back = translate("studio.keys.back");
  const trail = [{ title: back, to: "/keys" }];
  if (!apiKey || isGone) {
    return (
      <Page title={translate("studio.keys.title")} trail={trail}>
        {isLoadingError || isGone ? <Alert severity="error" action={<Button color="inherit" component={Link} to="/keys">{back}</Button>}>{sentence(error)}</Alert> : <LinearProgress aria-label={translate("studio.list.loading")} />}
      </Page>
    );
  }
  return (
    <Page title={apiKey.name} trail={trail} actions={<KeyActions apiKey={apiKey} />}>
      <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: "center", flexWrap: "wrap" }}>
        <Badge field="status" value={apiKey.status} />
        <Start start={apiKey.start} />
      </Stack>
      <KeySettings apiKey={apiKey} />
      <KeyAccess apiKey={apiKey} />
      <KeyUsage id={id} />
      <LastUses id={id} />
      <HowToUse />
    </Page>
  );
}
