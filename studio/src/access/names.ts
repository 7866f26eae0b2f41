/** What grants name, in words. */
import { useCallback } from "react";
import { useTranslate } from "react-admin";

/** The words for a model, a domain with a star, or a star. */
export function useModelName(): (name: string) => string {
  const translate = useTranslate();
  return useCallback(
    (name) => {
      if (name === "*") return translate("studio.access.everything");
      const [domain = "", model] = name.split("/");
      const of = translate(`domain.${domain}`);
      return model === "*" ? translate("studio.access.domain", { domain: of }) : `${of}: ${translate(`resources.${name}.name`, { smart_count: 2 })}`;
    },
    [translate],
  );
}
