/** Nova's times have no fraction of a second. */
export const stamp = (millis: number): string => `${new Date(millis).toISOString().slice(0, 19)}Z`
