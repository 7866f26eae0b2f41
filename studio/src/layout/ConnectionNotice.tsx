/** Says that the connection is lost, or that somebody has to sign in again; what is on the page stays. */
import { Alert, Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle } from "@mui/material";
import { useEffect, useSyncExternalStore } from "react";
import { useTranslate } from "react-admin";

import { onSignIn } from "../session/bearer";
import { SIGNED_IN, connection, signInPath, tryAgain } from "../session/transport";

export function ConnectionNotice() {
  const translate = useTranslate();
  const state = useSyncExternalStore(connection.subscribe, connection.get);
  if (state === "signed-out") return <SignedOut />;
  return <div role="status">{state === "lost" && <Alert severity="warning" square>{translate("studio.connection.lost")}</Alert>}</div>;
}

function SignedOut() {
  const translate = useTranslate();
  useEffect(() => {
    const look = () => void tryAgain();
    const forget = onSignIn(look);
    addEventListener("focus", look);
    return () => (forget(), removeEventListener("focus", look));
  }, []);
  const signIn = () => window.open(`/account/sign-in?next=${SIGNED_IN}`, "rowgate-sign-in", "popup,width=480,height=720");
  return (
    <Dialog open aria-labelledby="signed-out" aria-describedby="signed-out-text">
      <DialogTitle id="signed-out">{translate("studio.connection.signed_out")}</DialogTitle>
      <DialogContent><DialogContentText id="signed-out-text">{translate("studio.connection.signed_out_text")}</DialogContentText></DialogContent>
      <DialogActions>
        <Button onClick={() => location.assign(signInPath())}>{translate("studio.connection.another")}</Button>
        <Button variant="contained" autoFocus onClick={signIn}>{translate("studio.connection.sign_in")}</Button>
      </DialogActions>
    </Dialog>
  );
}
