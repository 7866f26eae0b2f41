/** Where something needs recent proof of who asks: a window that takes it, and once it has, the same again. */
import { Button } from "@mui/material";
import { useEffect, useRef } from "react";
import { useTranslate } from "react-admin";

import { onSignIn } from "./bearer";
import { SIGNED_IN } from "./transport";

export function StepUp({ onProved }: { onProved: () => void }) {
  const translate = useTranslate();
  const then = useRef(onProved);
  then.current = onProved;
  useEffect(() => onSignIn(() => then.current()), []);
  const prove = () => window.open(`/account/confirm?next=${SIGNED_IN}`, "rowgate-sign-in", "popup,width=480,height=720");
  return <Button color="inherit" onClick={prove}>{translate("studio.connection.prove")}</Button>;
}
