/** What somebody may do in an organization, by their role there. The service decides; this is what is offered. */
import { useMemo } from "react";

import { useCatalogue, usePerson } from "../catalogue/context";

export type Role = "owner" | "admin" | "member";

/** The highest first. */
export const ROLES: readonly Role[] = ["owner", "admin", "member"];

export interface Standing {
  id: string;
  name: string;
  isPersonal: boolean;
  role: string;
  /** Owners, and admins of the platform. */
  isOwner: boolean;
  isManager: boolean;
  mayInvite: boolean;
}

type Organization = Pick<Standing, "id" | "name" | "isPersonal" | "role">;

export function useStanding(organization: Organization): Standing {
  const { isAdmin } = usePerson();
  const catalogue = useCatalogue();
  const { id, name, isPersonal, role } = organization;
  return useMemo(() => {
    const isManager = isAdmin || role === "owner" || role === "admin";
    const mayInvite = isManager && Boolean(catalogue.get("auth/invitation")?.operations.create);
    return { id, name, isPersonal, role, isOwner: isAdmin || role === "owner", isManager, mayInvite };
  }, [catalogue, id, isAdmin, isPersonal, name, role]);
}

const isBelow = (one: string, other: string) => ROLES.indexOf(one as Role) > ROLES.indexOf(other as Role);

/** The roles that somebody gives: nobody but an owner gives one at or above their own, and a personal organization has one owner. */
export function grantable({ isManager, isOwner, isPersonal, role }: Standing): readonly Role[] {
  if (!isManager) return [];
  return ROLES.filter((each) => (each !== "owner" || !isPersonal) && (isOwner || isBelow(each, role)));
}

/** Whether somebody takes a role from another person: an owner any, everybody else those below their own. */
export const outranks = ({ isManager, isOwner, role }: Standing, other: string) => isManager && (isOwner || isBelow(other, role));

/** What the role of a member may become, that of now included. */
export function rolesOf(standing: Standing, now: string, isOneself: boolean): readonly string[] {
  // A personal organization keeps the one owner that it was made for.
  if (standing.isPersonal && now === "owner") return [now];
  const isOpen = outranks(standing, now) || (isOneself && standing.isManager);
  return isOpen ? ROLES.filter((each) => each === now || grantable(standing).includes(each)) : [now];
}
