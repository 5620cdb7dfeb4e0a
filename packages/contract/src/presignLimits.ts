/** The lifetime of a presigned URL, in seconds (contract, Limits). */
export const presignLimits = { least: 30, usual: 300, most: 900 } as const
