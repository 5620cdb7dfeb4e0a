/** The error at the bottom of a chain of causes says what happened; those above say who noticed. */
export const innermost = (error: Error): Error => (error.cause instanceof Error ? innermost(error.cause) : error)
