/** A person, chosen from those who share an organization with whoever chooses: users are listed to admins alone. */
import { useQuery } from "@tanstack/react-query";
import { Autocomplete, TextField } from "@mui/material";
import { InputHelperText, useInput, useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { shortId } from "../catalogue/catalogue";
import type { Shared } from "./FieldInput";

interface Person {
  id: string;
  name: string;
}

/** The people of the caller's organizations, by name, each once. */
export function usePeople(): readonly Person[] {
  const { data = [] } = useQuery({
    queryKey: ["auth/member", "people"],
    queryFn: async ({ signal }) => {
      const { data: members } = await provider.getList("auth/member", { pagination: { page: 1, perPage: 1000 }, meta: { count: "none" }, signal });
      const people = members.map(({ user }) => user as Person | null).filter((user): user is Person => user !== null);
      return [...new Map(people.map((person) => [person.id, person])).values()].sort((one, other) => one.name.localeCompare(other.name));
    },
  });
  return data;
}

export function PersonField({ source, label, helperText, validate, isRequired, autoFocus }: Shared) {
  const translate = useTranslate();
  const people = usePeople();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const value = field.value ? (people.find((person) => person.id === field.value) ?? { id: String(field.value), name: shortId(String(field.value)) }) : null;
  return (
    <Autocomplete
      id={id} options={people} openOnFocus value={value} getOptionLabel={({ name }) => name} getOptionKey={(person) => person.id} isOptionEqualToValue={(one, other) => one.id === other.id} fullWidth
      onChange={(_, chosen) => field.onChange(chosen?.id ?? null)} onBlur={field.onBlur}
      renderInput={(given) => (
        <TextField {...given} label={translate(label)} required={isRequired} autoFocus={autoFocus ?? false} error={fieldState.invalid} helperText={<InputHelperText error={fieldState.error?.message} helperText={helperText} />} />
      )}
    />
  );
}
