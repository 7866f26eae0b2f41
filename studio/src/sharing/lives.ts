/** How long something is shared. */
const DAYS = { day: 1, week: 7, month: 30, year: 365 } as const;

export type Life = keyof typeof DAYS;
export const LIVES = Object.keys(DAYS) as readonly Life[];

/** The moment at which ``life`` is over: a minute early, so that a year is none too long for a service whose clock is behind. */
export const after = (life: Life) => new Date(Date.now() + DAYS[life] * 86_400_000 - 60_000).toISOString();
