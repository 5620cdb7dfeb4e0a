/** The innermost error of a chain of causes names the fault; the outer ones only name who noticed it. */
export const innermost = (error: Error): Error => (error.cause instanceof Error ? innermost(error.cause) : error)
