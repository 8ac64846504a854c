/** The roles of logins, from the widest view to the narrowest. */
export const ROLES = ['operator', 'manager', 'reseller', 'merchant'] as const

/** The role of a login decides which ids `sees` holds, and so which transactions its reports show. */
export type Role = (typeof ROLES)[number]
