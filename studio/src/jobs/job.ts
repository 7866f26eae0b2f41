/** Work that somebody waits for, as the service tells of it. */
export interface Job {
  id: string;
  task: string;
  status: string;
  progress: number;
  message: string | null;
  result: unknown;
  errorMessage: string | null;
  createdAt: string;
  endedAt: string | null;
}

export const JOBS = "/api/v1/_jobs";

export const isGoing = ({ endedAt }: Pick<Job, "endedAt">) => endedAt === null;
