/** What an organization holds, and how it is changed. */
import type { Noted, Row } from "@rowgate/client/react-admin";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNotify } from "react-admin";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { shortId } from "../catalogue/catalogue";
import { useWrites } from "../changes/undo";
import { ROLES, type Role } from "./standing";

/** The largest page of a list: what is beyond it is for the list of the model. */
const MOST = 1000;

export type Member = Row & { userId: string; role: string; createdAt: string; user: { id: string; name: string } | null };

/** Somebody in a team. */
export type Joined = Row & Pick<Member, "userId" | "user"> & { teamId: string };

export const nameOfMember = ({ user, userId }: Pick<Member, "user" | "userId">) => user?.name ?? shortId(userId);

const byRank = (one: Member, other: Member) =>
  ROLES.indexOf(one.role as Role) - ROLES.indexOf(other.role as Role) || nameOfMember(one).localeCompare(nameOfMember(other));

/** The rows of a resource that belong to an organization. */
function useOwned(resource: string, organizationId: string, sort: readonly string[], where: object = { organizationId }) {
  return useQuery({
    queryKey: [resource, "organization", organizationId, { sort, where }],
    queryFn: ({ signal }) => provider.getList(resource, { filter: { where }, pagination: { page: 1, perPage: MOST }, meta: { sort }, signal }),
  });
}

export function useMembers(organizationId: string) {
  const { data, ...query } = useOwned("auth/member", organizationId, ["createdAt"]);
  const members = data?.data as Member[] | undefined;
  return { ...query, members: members && [...members].sort(byRank), total: data?.total ?? 0 };
}

export const useTeams = (organizationId: string) => useOwned("auth/team", organizationId, ["name"]);
export const useTeamMembers = (organizationId: string) => useOwned("auth/team-member", organizationId, ["createdAt"], { team: { organizationId } });
export const useBuckets = (organizationId: string) => useOwned("storage/bucket", organizationId, ["name"]);

/** The address of a generic list with the rows of one other record. */
export const listOf = (resource: string, field: string, id: string) => `/${resource}?filter=${encodeURIComponent(JSON.stringify([[field, "eq", id]]))}`;

/** Have what is shown of these resources read again. */
export function useRenewal(resources: readonly string[]) {
  const queries = useQueryClient();
  return () => Promise.all(resources.map((resource) => queries.invalidateQueries({ queryKey: [resource] })));
}

/** Carry out a write and say how it went; tells whether it was done. What is written with the `meta` that `work` gets can be undone. */
export function useAct(...resources: readonly string[]) {
  const notify = useNotify();
  const sentence = useSentence();
  const renew = useRenewal(resources);
  const { meta, start, tell } = useWrites();
  return async (work: (meta: Noted) => Promise<unknown>, done: string, words: object = {}): Promise<boolean> => {
    start();
    try {
      await work(meta);
      tell(done, words);
      return true;
    } catch (error) {
      notify(sentence(error), { type: "error" });
      return false;
    } finally {
      void renew();
    }
  };
}
