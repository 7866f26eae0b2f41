/** In place of a page that fails: what happened, and a way to try again. */
import { Alert, Button } from "@mui/material";
import { Component, type ReactNode } from "react";
import { useTranslate } from "react-admin";

interface State {
  error?: Error;
}

export class Broken extends Component<{ children: ReactNode }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? <Told error={error} onAgain={() => this.setState({})} /> : this.props.children;
  }
}

function Told({ error, onAgain }: { error: Error; onAgain: () => void }) {
  const translate = useTranslate();
  return (
    <Alert severity="error" sx={{ mt: 2 }} action={<Button color="inherit" onClick={onAgain}>{translate("studio.errors.again")}</Button>}>
      {translate("studio.errors.broken")}: {error.message}
    </Alert>
  );
}
