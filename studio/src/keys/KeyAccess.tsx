/** What a key may do of what its owner may. */
import { useTranslate } from "react-admin";

import { AccessEditor } from "../access/AccessEditor";
import type { Access } from "../access/grants";
import { provider } from "../api/provider";
import { Section } from "../design/Section";
import { type ApiKey, RESOURCE, useKeyRenewal } from "./keys";

export function KeyAccess({ apiKey }: { apiKey: ApiKey }) {
  const translate = useTranslate();
  const renew = useKeyRenewal();
  const save = async (access: Access) => {
    await provider.update(RESOURCE, { id: apiKey.id, data: { access }, previousData: apiKey });
    await renew();
  };
  // Of a key that has ended nothing is asked any more.
  if (apiKey.status !== "active" && apiKey.status !== "disabled") return null;
  return (
    <Section title={translate("studio.access.open")}>
      <AccessEditor whose="key" stored={apiKey.access} subject={{ keyId: apiKey.id }} onSave={save} />
    </Section>
  );
}
