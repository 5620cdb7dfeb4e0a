/** The lifetime of a presigned URL that reads, in seconds (contract, Limits). */
export const presignLimits = { least: 30, usual: 300, most: 900 } as const

/**
 * The lifetime of a presigned URL that uploads, in seconds: the upload begins in it. It is shorter than
 * that of a read, because what it grants outlives the right to ask for it.
 */
export const uploadLimits = { least: 30, usual: 120, most: 300 } as const

/** The most bytes of one upload: S3 takes larger objects in parts alone. */
export const longestUpload = 5 * 1024 ** 3
